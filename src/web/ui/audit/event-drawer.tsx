import { Anchor, Code, Drawer, Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { auditTexts } from "../../texts/audit.ts";
import { fieldTexts, fieldValueTexts, logTexts } from "../../texts/audit-log.ts";
import { Copy } from "../copy.tsx";
import type { Event } from "./names.ts";
import type { Describer } from "./sentence.tsx";
import type { EventLabels } from "./words.ts";

type Named = Readonly<Record<string, string | undefined>>;
type Props = {
  readonly event: Event;
  readonly isOpen: boolean;
  readonly words: EventLabels;
  readonly describer: Describer;
  readonly hasOrganization: boolean;
  readonly logPath: string;
  readonly onClose: () => void;
};

export default function EventDrawer({ isOpen, onClose, logPath, ...of }: Props) {
  const { event, describer } = of;
  const texts = useTexts(logTexts);
  // The drawer opens after it was mounted: only then does it return the focus when it closes.
  const [isShown, setShown] = useState(false);
  useEffect(() => setShown(isOpen), [isOpen]);
  return (
    <Drawer
      opened={isShown}
      onClose={onClose}
      position="right"
      title={describer.title(event)}
      closeButtonProps={{ "aria-label": texts.close }}
    >
      <Stack>
        <Text>{describer.sentence(event)}</Text>
        <Facts {...of} />
        <SimilarEvents event={event} describer={describer} logPath={logPath} onOpen={onClose} />
        <Json event={event} />
      </Stack>
    </Drawer>
  );
}

function Facts({ event, words, describer, hasOrganization }: Omit<Props, "isOpen" | "logPath" | "onClose">) {
  const texts = useTexts(logTexts);
  const labels = { ...useTexts(auditTexts), ...useTexts(fieldTexts) } as unknown as Named;
  const values = useTexts(fieldValueTexts) as unknown as Named;
  const { dateTime } = useFormat();
  const { organizationId, ip, requestId } = event;
  const facts: [string, ReactNode][] = [
    [texts.time, dateTime(event.time)],
    [texts.actor, describer.actor(event)],
    ...words
      .facts(event)
      .map(([key, text]): [string, ReactNode] =>
        event.product ? [key, text] : [labels[key] ?? key, values[text] ?? text],
      ),
  ];
  if (hasOrganization && organizationId !== null)
    facts.push([texts.organization, describer.organization(organizationId)]);
  if (ip !== null) facts.push([texts.ip, ip]);
  if (requestId !== null) facts.push([texts.request, <Code key="request">{requestId}</Code>]);
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type SimilarProps = Pick<Props, "event" | "describer" | "logPath"> & { readonly onOpen: () => void };

function SimilarEvents({ event, describer, logPath, onOpen }: SimilarProps) {
  const texts = useTexts(logTexts);
  const { actor, actorId, serviceAccount, client, targetId, targetType } = event;
  const actorName = (actor && describer.nameOf(actor)) ?? serviceAccount?.name;
  const link = (search: Record<string, string>, text: string) => (
    <Anchor component={Link} to={logPath} search={search as never} size="sm" onClick={onOpen}>
      {text}
    </Anchor>
  );
  return (
    <Stack gap="xs" align="flex-start">
      {actorId !== null && actorName !== undefined && link({ actorId }, texts.onlyActor(actorName))}
      {client !== null && link({ grantId: client.grantId }, texts.onlyActor(client.name))}
      {targetId !== null &&
        targetType !== null &&
        link({ targetId, targetType }, texts.sameTarget(describer.target(event).name || texts.thisRecord))}
    </Stack>
  );
}

function Json({ event }: { event: Event }) {
  const texts = useTexts(logTexts);
  const json = JSON.stringify(event, null, 2);
  return (
    <details>
      <summary>JSON</summary>
      <Group justify="flex-end" my="xs">
        <Copy value={json} label={texts.copyJson} />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard */}
      <section className="excerpt" tabIndex={0} aria-label="JSON">
        <Code block>{json}</Code>
      </section>
    </details>
  );
}

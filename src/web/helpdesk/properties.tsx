import { NativeSelect } from "@mantine/core";
import type { ReactNode } from "react";
import type { Schemas } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { deviceOf } from "../lib/device.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { helpdeskTexts } from "../texts/helpdesk.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Section } from "../ui/page.tsx";
import { DESKS, staleAfter } from "./desks.ts";
import { STATUSES } from "./search.ts";

export function Properties({
  ticket,
  children,
}: {
  ticket: Schemas["TicketWithMessages"];
  children?: ReactNode;
}) {
  const texts = useTexts(helpdeskTexts);
  const { dateTime } = useFormat();
  const { reporter } = ticket;
  const { browser, system } = deviceOf(ticket.browser) ?? {};
  const device = [browser, system].filter(Boolean).join(" · ");
  const facts: [string, string | null][] = [
    [texts.reporter, reporter === null ? texts.deletedAccount : `${reporter.firstName} ${reporter.lastName}`],
    [texts.email, reporter?.email ?? null],
    [texts.organization, ticket.organizationName],
    [texts.category, texts[`category${ticket.category}`]],
    [texts.reported, dateTime(ticket.createdAt)],
    [texts.page, ticket.pagePath],
    [texts.browser, device || ticket.browser],
    [texts.version, ticket.appVersion],
  ];
  return (
    <Section title={texts.manage}>
      {children}
      <dl className="ticket-properties">
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd title={(name === texts.browser && ticket.browser) || undefined}>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </Section>
  );
}

type Status = Schemas["TicketStatus"];

const TONES = { OPEN: "warn", IN_PROGRESS: "info", RESOLVED: "good", CLOSED: undefined } as const;

export function StatusBadge({ status }: { status: Status }) {
  const texts = useTexts(helpdeskTexts);
  return (
    <span className="tag ticket-status" data-tone={TONES[status]}>
      {texts[status]}
    </span>
  );
}

export function StatusSelect({
  id,
  status,
  desk,
}: {
  id: string;
  status: Status;
  desk: "organization" | "platform";
}) {
  const texts = useTexts(helpdeskTexts);
  const client = useClient();
  const change = useAction({
    run: (next: Status) => client.request(DESKS[desk].status, { path: { id }, body: { status: next } }),
    invalidates: staleAfter(desk),
  });
  return (
    <>
      <NativeSelect
        label={texts.status}
        value={status}
        disabled={change.isRunning}
        onChange={({ currentTarget: { value } }) => change.run(value as Status)}
        data={STATUSES.map((value) => ({ value, label: texts[value] }))}
      />
      <ErrorAlert error={change.error} />
    </>
  );
}

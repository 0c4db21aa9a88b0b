import { Badge, Group, Text } from "@mantine/core";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery } from "../../client/react.ts";
import { useClient } from "../../client/session-hooks.ts";
import { deviceOf } from "../lib/device.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { profileTexts } from "../texts/profile.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { Hint } from "../ui/hint.tsx";
import { Section } from "../ui/page.tsx";
import { Pending } from "../ui/pending.tsx";
import { RowMenu } from "../ui/row-menu.tsx";
import { AccountPage } from "./account-page.tsx";

const INVALIDATES = ["GET /api/profile/sessions"] as const;

export function Sessions() {
  const client = useClient();
  const texts = useTexts(profileTexts);
  const query = useApiQuery("GET /api/profile/sessions");
  const { data: sessions } = query;
  const hasOthers = sessions !== undefined && sessions.length > 1;
  const endOthers = hasOthers && (
    <ConfirmButton
      label={texts.endOthers}
      question={texts.endOthersAbout}
      run={() => client.request("DELETE /api/profile/sessions")}
      invalidates={INVALIDATES}
    />
  );
  return (
    <AccountPage title={texts.sessions} about={texts.sessionsAbout} actions={endOthers || undefined}>
      <Pending of={query} height={160} />
      {sessions !== undefined && (
        <Section title={texts.devices}>
          <div className="rows">
            {sessions.map((session) => (
              <Row key={session.id} session={session} />
            ))}
          </div>
        </Section>
      )}
    </AccountPage>
  );
}

function Row({ session }: { session: Schemas["OwnSession"] }) {
  const client = useClient();
  const texts = useTexts(profileTexts);
  const { ago, dateTime } = useFormat();
  const { id, userAgent, ip, organization, lastUsedAt, createdAt, current, confined } = session;
  const device = deviceOf(userAgent);
  const { browser, system } = device ?? {};
  const name = (browser && system && texts.on_(browser, system)) || browser || system || texts.unknownDevice;
  return (
    <div>
      <div title={userAgent ?? undefined}>
        <Group gap="xs">
          <Text fw={600} size="sm">
            {name}
          </Text>
          {current && <Badge variant="default">{texts.current}</Badge>}
          {confined && <Badge variant="default">{texts.confinedSession}</Badge>}
        </Group>
        <Hint>
          <time dateTime={lastUsedAt} title={dateTime(createdAt)}>
            {`${texts.lastUsed}: ${ago(lastUsedAt)}`}
          </time>
          {[ip, organization?.name].filter(Boolean).map((part) => ` · ${part}`)}
        </Hint>
      </div>
      {!current && (
        <RowMenu
          label={texts.actionsOf(name)}
          actions={[
            {
              label: texts.end,
              confirm: {
                question: texts.endAbout(name),
                run: () => client.request("DELETE /api/profile/sessions/{id}", { path: { id } }),
                invalidates: INVALIDATES,
              },
            },
          ]}
        />
      )}
    </div>
  );
}

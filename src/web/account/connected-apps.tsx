import { Text } from "@mantine/core";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery } from "../../client/react.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useSettings } from "../lib/settings.ts";
import { connectedAppTexts } from "../texts/connected-apps.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { AppName, AppPlace, AppScopes } from "../ui/connected-app.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Hint } from "../ui/hint.tsx";
import { Section } from "../ui/page.tsx";
import { Pending } from "../ui/pending.tsx";
import { AccountPage } from "./account-page.tsx";

type App = Schemas["ConnectedApp"];

const INVALIDATES = ["GET /api/profile/connected-apps"] as const;

export function ConnectedApps() {
  const client = useClient();
  const texts = useTexts(connectedAppTexts);
  const { data: settings } = useSettings();
  const isOn = settings?.oauth === true;
  const query = useApiQuery("GET /api/profile/connected-apps", {}, { enabled: isOn });
  const { data: apps } = query;
  const organizations = new Map(apps?.map(({ organization }) => [organization.id, organization.name]));
  const disconnectAll = apps !== undefined && apps.length > 0 && (
    <ConfirmButton
      label={texts.disconnectAll}
      question={texts.disconnectAllQuestion}
      run={() => client.request("DELETE /api/profile/connected-apps")}
      invalidates={INVALIDATES}
    />
  );
  return (
    <AccountPage title={texts.apps} about={texts.about} actions={disconnectAll || undefined}>
      {settings?.oauth === false && <EmptyState icon="robot" text={texts.off} />}
      {isOn && <Pending of={query} height={160} />}
      {apps?.length === 0 && <EmptyState icon="robot" text={texts.none} />}
      {[...organizations].map(([id, name]) => (
        <Section key={id} title={name}>
          <div className="rows">
            {apps
              ?.filter(({ organization }) => organization.id === id)
              .map((app) => (
                <Row key={app.id} app={app} />
              ))}
          </div>
        </Section>
      ))}
    </AccountPage>
  );
}

function Row({ app }: { app: App }) {
  const client = useClient();
  const texts = useTexts(connectedAppTexts);
  const { ago, dateTime, date } = useFormat();
  const { id, client: of, organization, lastUsedAt, lastUsedIp, expiresAt } = app;
  return (
    <div>
      <div>
        <AppName of={app} />
        <Text size="sm" mt={4}>
          <AppScopes of={app} />
        </Text>
        <Hint>
          <AppPlace of={app} />
          {" · "}
          {lastUsedAt === null ? (
            texts.neverUsed
          ) : (
            <time
              dateTime={lastUsedAt}
              title={[dateTime(lastUsedAt), lastUsedIp].filter(Boolean).join(" · ")}
            >
              {texts.lastUse(ago(lastUsedAt))}
            </time>
          )}
          {" · "}
          <time dateTime={expiresAt} title={dateTime(expiresAt)}>
            {texts.endsOn(date(expiresAt))}
          </time>
        </Hint>
      </div>
      <ConfirmButton
        label={texts.disconnect}
        aria-label={texts.disconnectOf(of.name)}
        size="compact-sm"
        question={texts.disconnectQuestion(of.name, organization.name)}
        run={() => client.request("DELETE /api/profile/connected-apps/{id}", { path: { id } })}
        invalidates={INVALIDATES}
      />
    </div>
  );
}

import { Badge, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { registeredAppTexts } from "../../texts/app-settings.ts";
import { Copy } from "../copy.tsx";
import { type Column, DataTable } from "../data-table.tsx";
import { EmptyState } from "../empty-state.tsx";
import { Hint } from "../hint.tsx";
import { Section } from "../page.tsx";
import { ShownOnce } from "../shown-once.tsx";
import { AppActions } from "./actions.tsx";
import { type AppOwner, endpointsOf } from "./endpoints.ts";
import { RegisterApp } from "./forms.tsx";

type App = Schemas["OAuthClient"];
type Props = { readonly of: AppOwner; readonly mayUpdate: boolean };

/** The list of registered apps, with a form that registers one. A secret is shown once. */
export function RegisteredApps({ of: owner, mayUpdate }: Props) {
  const texts = useTexts(registeredAppTexts);
  const { date, number } = useFormat();
  const endpoints = endpointsOf(owner);
  const list = useList(endpoints.list, { sort: "name", order: "asc" });
  // The secret is stored here, because the dialog that got it is gone when it is shown.
  const [secret, setSecret] = useState<string | null>();
  const columns: Column<App>[] = [
    { title: texts.name, sort: "name", render: (app) => <Name of={app} /> },
    {
      title: texts.clientId,
      render: ({ id, name }) => (
        <Group gap="xs">
          <code className="break">{id}</code>
          <Copy value={id} aria-label={`${texts.copyId}: ${name}`} />
        </Group>
      ),
    },
    {
      title: texts.redirectUris,
      render: ({ redirectUris }) => (
        <Text size="sm" component="div" className="break">
          {redirectUris.map((uri) => (
            <div key={uri}>{uri}</div>
          ))}
        </Text>
      ),
    },
    { title: texts.grants, render: ({ grantCount }) => number(grantCount) },
    { title: texts.created, sort: "createdAt", render: ({ createdAt }) => date(createdAt) },
    {
      title: "",
      render: (app) => mayUpdate && <AppActions of={app} endpoints={endpoints} onSecret={setSecret} />,
    },
  ];
  return (
    <Section
      title={texts.registered}
      actions={
        mayUpdate && (
          <RegisterApp
            endpoints={endpoints}
            onCreated={({ confidential, clientSecret }) => confidential && setSecret(clientSecret)}
          />
        )
      }
    >
      <Hint mb="sm">{owner === "platform" ? texts.platformAbout : texts.about}</Hint>
      <DataTable
        label={texts.list}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState icon="key" text={texts.none} />}
        searchable
      />
      <ShownOnce texts={texts} label={texts.secret} secret={secret} onKept={() => setSecret(undefined)} />
    </Section>
  );
}

function Name({ of: { name, confidential, enabled, previousSecretEndsAt } }: { of: App }) {
  const texts = useTexts(registeredAppTexts);
  const { dateTime } = useFormat();
  return (
    <div className="name">
      <Group gap="xs">
        <Text size="sm" fw={500}>
          {name}
        </Text>
        {!enabled && <Badge variant="default">{texts.disabled}</Badge>}
        {confidential && <Badge variant="default">{texts.hasSecret}</Badge>}
      </Group>
      {previousSecretEndsAt !== null && (
        <Hint size="xs">{texts.secretEnds(dateTime(previousSecretEndsAt))}</Hint>
      )}
    </div>
  );
}

import { Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import type { Schemas } from "../../../client/index.ts";
import { useCan, useClient } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { type List, useList } from "../../lib/list.ts";
import { appSettingsTexts } from "../../texts/app-settings.ts";
import { connectedAppTexts } from "../../texts/connected-apps.ts";
import { Ago } from "../../ui/ago.tsx";
import { AppName, AppPlace, AppScopes } from "../../ui/connected-app.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { activeFilters } from "../../ui/filter-chips.tsx";
import { Hint } from "../../ui/hint.tsx";
import { RowMenu } from "../../ui/row-menu.tsx";
import { AppsPage } from "./frame.tsx";

type App = Schemas["ConnectedAppOfMember"];

const route = getRouteApi("/authenticated/settings/apps");
const nameOf = ({ firstName, lastName, email }: App["member"]) =>
  [firstName, lastName].filter(Boolean).join(" ") || email;

export function OrganizationApps() {
  return (
    <AppsPage part="apps">
      <Apps />
    </AppsPage>
  );
}

function Apps() {
  const texts = useTexts(appSettingsTexts);
  const words = useTexts(connectedAppTexts);
  const { date } = useFormat();
  const { client, userId } = route.useSearch();
  const list = useList("GET /api/organization/connected-apps", {
    sort: "createdAt",
    order: "desc",
    ...(client !== undefined && { client }),
    ...(userId !== undefined && { userId: [userId] }),
  });
  const columns: Column<App>[] = [
    { title: words.app, render: (app) => <AppName of={app} /> },
    { title: texts.member, render: ({ member }) => <Member of={member} /> },
    {
      title: words.mayDo,
      render: (app) => (
        <Text size="sm" component="div" maw="24rem">
          <AppScopes of={app} />
        </Text>
      ),
    },
    { title: words.place, render: (app) => <AppPlace of={app} /> },
    {
      title: words.lastUsed,
      sort: "lastUsedAt",
      render: ({ lastUsedAt }) => (lastUsedAt === null ? words.never : <Ago at={lastUsedAt} />),
    },
    { title: words.ends, sort: "expiresAt", render: ({ expiresAt }) => date(expiresAt) },
    { title: "", render: (app) => <Actions of={app} list={list} /> },
  ];
  const [first] = list.rows ?? [];
  const active = activeFilters([
    { label: words.app, names: ["client"], value: client && (first?.client.name ?? client) },
    { label: texts.member, names: ["userId"], value: userId && (first ? nameOf(first.member) : "…") },
  ]);
  return (
    <DataTable
      label={texts.list}
      list={list}
      columns={columns}
      rowKey={({ id }) => id}
      empty={<EmptyState icon="robot" text={texts.none} />}
      active={active}
      searchable
    />
  );
}

const Member = ({ of: member }: { of: App["member"] }) => (
  <div className="break">
    <Text size="sm">{nameOf(member)}</Text>
    {nameOf(member) !== member.email && <Hint size="xs">{member.email}</Hint>}
  </div>
);

function Actions({ of: app, list }: { of: App; list: List<App> }) {
  const texts = useTexts(appSettingsTexts);
  const words = useTexts(connectedAppTexts);
  const client = useClient();
  const mayDisconnect = useCan("ConnectedApps.Delete");
  const { id, client: of, member } = app;
  const disconnection = {
    question: texts.disconnectQuestion(of.name, nameOf(member)),
    run: () => client.request("DELETE /api/organization/connected-apps/{id}", { path: { id } }),
    invalidates: ["GET /api/organization/connected-apps"] as const,
  };
  return (
    <div className="row-actions">
      <RowMenu
        label={words.actionsOf(`${of.name}, ${nameOf(member)}`)}
        actions={[
          { label: texts.onlyApp, onClick: () => list.show({ client: of.id }) },
          { label: texts.onlyMember, onClick: () => list.show({ userId: member.userId }) },
          mayDisconnect && { label: words.disconnect, confirm: disconnection },
        ]}
      />
    </div>
  );
}

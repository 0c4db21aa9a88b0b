import { Badge, Group } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useCan } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { serviceAccountTexts } from "../../texts/service-accounts.ts";
import { Ago } from "../../ui/ago.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { LinkButton } from "../../ui/link-button.tsx";
import { Page } from "../../ui/page.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { Grants } from "../shared/grants.tsx";

export function ServiceAccounts() {
  const texts = useTexts(serviceAccountTexts);
  const { number } = useFormat();
  const mayCreate = useCan("ServiceAccounts.Create");
  const list = useList("GET /api/service-accounts", { sort: "name", order: "asc" });
  const columns: Column<Schemas["ServiceAccount"]>[] = [
    {
      title: texts.name,
      sort: "name",
      render: ({ id, name, enabled }) => (
        <Group gap="xs">
          <TextLink to={`/service-accounts/${id}`} className="name">
            {name}
          </TextLink>
          {!enabled && <Badge variant="default">{texts.disabled}</Badge>}
        </Group>
      ),
    },
    { title: texts.roles, render: ({ assignments }) => <Grants of={assignments} /> },
    { title: texts.activeKeys, render: ({ keyCount }) => number(keyCount) },
    {
      title: texts.lastUsed,
      sort: "lastUsedAt",
      render: ({ lastUsedAt }) => (lastUsedAt === null ? texts.never : <Ago at={lastUsedAt} />),
    },
  ];
  const create = mayCreate && <LinkButton to="/service-accounts/new">{texts.create}</LinkButton>;
  return (
    <Page title={texts.accounts} about={texts.about} actions={create}>
      <DataTable
        label={texts.accounts}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState icon="robot" text={texts.none} />}
        searchable
      />
    </Page>
  );
}

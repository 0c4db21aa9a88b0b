import { Badge } from "@mantine/core";
import type { Schemas } from "../../client/index.ts";
import { capitalized } from "../lib/capitalized.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useList } from "../lib/list.ts";
import { platformTexts } from "../texts/platform.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Hint } from "../ui/hint.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { Page } from "../ui/page.tsx";
import { TextLink } from "../ui/text-link.tsx";

export function Organizations() {
  const texts = useTexts(platformTexts);
  const { date, number } = useFormat();
  const list = useList("GET /api/organizations", { sort: "createdAt", order: "desc" });
  const columns: Column<Schemas["PlatformOrganization"]>[] = [
    {
      title: texts.name,
      sort: "name",
      render: ({ id, name, slug }) => (
        <>
          <TextLink to={`/platform/organizations/${id}`}>{name}</TextLink>
          <Hint size="xs">{slug}</Hint>
        </>
      ),
    },
    { title: texts.status, render: ({ status }) => <OrganizationBadge status={status} /> },
    { title: texts.plan, render: ({ plan }) => (plan === null ? texts.noPlan : capitalized(plan.key)) },
    { title: texts.members, render: ({ memberCount }) => number(memberCount) },
    { title: texts.created, sort: "createdAt", render: ({ createdAt }) => date(createdAt) },
  ];
  const create = <LinkButton to="/platform/organizations/new">{texts.newOrganization}</LinkButton>;
  return (
    <Page title={texts.organizations} actions={create}>
      <DataTable
        label={texts.organizations}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        searchable
      />
    </Page>
  );
}

export function OrganizationBadge({ status }: { status: Schemas["OrganizationStatus"] }) {
  const texts = useTexts(platformTexts);
  return (
    <Badge component="span" variant="dot" color={status === "ACTIVE" ? "green" : "red"}>
      {texts[status]}
    </Badge>
  );
}

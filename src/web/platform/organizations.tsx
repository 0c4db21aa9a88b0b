import { Anchor, Badge, Button, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "../../client/index.ts";
import { capitalized } from "../lib/capitalized.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useList } from "../lib/list.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Page } from "../ui/page.tsx";
import { platformTexts } from "./texts.ts";

/** The list of all organizations, for platform administrators. */
export function Organizations() {
  const texts = useTexts(platformTexts);
  const { date, number } = useFormat();
  const list = useList("GET /api/organizations", { sort: "createdAt", order: "desc" });
  const columns: Column<Schemas["PlatformOrganization"]>[] = [
    {
      key: "name",
      title: texts.name,
      sort: "name",
      render: ({ id, name, slug }) => (
        <>
          <Anchor component={Link} to="/platform/organizations/$id" params={{ id } as never} size="sm">
            {name}
          </Anchor>
          <Text size="xs" c="dimmed">
            {slug}
          </Text>
        </>
      ),
    },
    { key: "status", title: texts.status, render: ({ status }) => <OrganizationBadge status={status} /> },
    {
      key: "plan",
      title: texts.plan,
      render: ({ plan }) => (plan === null ? texts.noPlan : capitalized(plan.key)),
    },
    { key: "members", title: texts.members, render: ({ memberCount }) => number(memberCount) },
    { key: "created", title: texts.created, sort: "createdAt", render: ({ createdAt }) => date(createdAt) },
  ];
  const create = (
    <Button component={Link} to="/platform/organizations/new">
      {texts.newOrganization}
    </Button>
  );
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

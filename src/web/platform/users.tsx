import { Badge, Group, Text } from "@mantine/core";
import type { Schemas } from "../../client/index.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useList } from "../lib/list.ts";
import { platformTexts } from "../texts/platform.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Page } from "../ui/page.tsx";
import { TextLink } from "../ui/text-link.tsx";

type Row = Schemas["PlatformUser"];

export function Users() {
  const texts = useTexts(platformTexts);
  const { date, list: sentence } = useFormat();
  const list = useList("GET /api/users", { sort: "createdAt", order: "desc" });
  const columns: Column<Row>[] = [
    {
      title: texts.name,
      sort: "lastName",
      render: ({ id, firstName, lastName }) => (
        <TextLink to={`/platform/users/${id}`}>{`${firstName} ${lastName}`}</TextLink>
      ),
    },
    { title: texts.email, sort: "email", render: ({ email }) => <Text size="sm">{email}</Text> },
    {
      title: texts.organizations,
      render: ({ organizations }) => (
        <Text size="sm" lineClamp={2}>
          {sentence(organizations.map(({ name }) => name))}
        </Text>
      ),
    },
    { title: texts.state, render: (user) => <UserBadges user={user} /> },
    { title: texts.created, sort: "createdAt", render: ({ createdAt }) => date(createdAt) },
  ];
  return (
    <Page title={texts.users}>
      <DataTable label={texts.users} list={list} columns={columns} rowKey={({ id }) => id} searchable />
    </Page>
  );
}

export function UserBadges({ user }: { user: Row }) {
  const texts = useTexts(platformTexts);
  return (
    <Group component="span" gap={4}>
      {user.isPlatformAdmin && (
        <Badge component="span" variant="dot" color="blue">
          {texts.platformAdmin}
        </Badge>
      )}
      <Badge component="span" variant="dot" color={user.emailVerifiedAt === null ? "orange" : "green"}>
        {user.emailVerifiedAt === null ? texts.notVerified : texts.verified}
      </Badge>
      {user.twoFactorEnabled && (
        <Badge component="span" variant="dot" color="green">
          {texts.twoFactorOn}
        </Badge>
      )}
    </Group>
  );
}

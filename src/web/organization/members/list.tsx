import { Anchor, Badge, Button, Group, Text } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan, useSession } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState, Page } from "../../ui/page.tsx";
import { Grants } from "../shared/grants.tsx";
import { Guard } from "../shared/guard.tsx";
import { UnitSelect } from "../shared/unit-select.tsx";
import { memberTexts } from "./texts.ts";

const route = getRouteApi("/authenticated/members");

/** The list of the organization's members. */
export function Members() {
  const texts = useTexts(memberTexts);
  return (
    <Guard title={texts.members} needs="Members.Read">
      <MemberList />
    </Guard>
  );
}

function MemberList() {
  const texts = useTexts(memberTexts);
  const { date } = useFormat();
  const { unit } = route.useSearch();
  const session = useSession();
  const mayInvite = useCan("Invitations.Create");
  const isWhole = useCan("Members.Read", null);
  const list = useList("GET /api/members", { sort: "lastName", order: "asc", ...(unit && { unit: [unit] }) });
  const { data: units } = useApiQuery("GET /api/members/unit-options", {}, { staleTime: 30_000 });
  const me = session.status === "signed-in" ? session.userId : "";
  const columns: Column<Schemas["Member"]>[] = [
    {
      key: "name",
      title: texts.name,
      sort: "lastName",
      render: (member) => <Name member={member} isMe={member.userId === me} />,
    },
    {
      key: "email",
      title: texts.email,
      sort: "email",
      render: ({ email }) => <span className="break">{email}</span>,
    },
    { key: "roles", title: texts.roles, render: ({ assignments }) => <Grants of={assignments} /> },
    { key: "units", title: texts.units, render: (member) => <UnitNames units={member.units} /> },
    { key: "joined", title: texts.joined, sort: "joinedAt", render: ({ joinedAt }) => date(joinedAt) },
  ];
  return (
    <Page
      title={texts.members}
      about={isWhole === true ? texts.about : texts.partial}
      actions={
        mayInvite && (
          <Button component={Link} to="/invitations/new">
            {texts.invite}
          </Button>
        )
      }
    >
      <DataTable
        label={texts.members}
        list={list}
        columns={columns}
        rowKey={({ userId }) => userId}
        empty={<EmptyState text={texts.none} />}
        searchable
        filters={
          units !== undefined &&
          (units.length > 0 || unit !== undefined) && (
            <UnitSelect
              label={texts.unit}
              placeholder={texts.allUnits}
              units={units}
              value={unit ?? null}
              onChange={(id) => list.show({ unit: id ?? undefined })}
            />
          )
        }
      />
    </Page>
  );
}

function Name({
  member: { userId, firstName, lastName },
  isMe,
}: {
  member: Schemas["Member"];
  isMe: boolean;
}) {
  const texts = useTexts(memberTexts);
  return (
    <Group gap="xs">
      <Anchor component={Link} to={`/members/${userId}`} size="sm" className="name">
        {`${firstName} ${lastName}`}
      </Anchor>
      {isMe && (
        <Badge variant="default" flex="none">
          {texts.you}
        </Badge>
      )}
    </Group>
  );
}

const SHOWN = 3;

function UnitNames({ units }: { units: Schemas["Member"]["units"] }) {
  const texts = useTexts(memberTexts);
  const { number } = useFormat();
  const names = units.slice(0, SHOWN).map(({ name }) => name);
  return (
    <Text size="sm" className="break" c={names.length === 0 ? "dimmed" : undefined}>
      {names.length === 0 ? "–" : names.join(", ")}
      {units.length > SHOWN && ` ${texts.more(number(units.length - SHOWN))}`}
    </Text>
  );
}

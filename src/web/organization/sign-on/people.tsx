import { Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { connectionPageTexts } from "../../texts/sign-on-connections.ts";
import { identityTexts } from "../../texts/sign-on-groups.ts";
import { Ago } from "../../ui/ago.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Hint } from "../../ui/hint.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { ConnectionFrame } from "./connection-frame.tsx";
import { useSignOnRights } from "./rights.ts";

type Identity = Schemas["SsoIdentity"];

const route = getRouteApi("/authenticated/settings/sign-on/$connectionId/people");

export function ConnectionPeople() {
  const texts = useTexts(connectionPageTexts);
  const { connectionId } = route.useParams();
  return (
    <ConnectionFrame connectionId={connectionId} part={texts.people}>
      {({ id }) => <Identities connectionId={id} />}
    </ConnectionFrame>
  );
}

function Identities({ connectionId }: { connectionId: string }) {
  const texts = useTexts(identityTexts);
  const { date } = useFormat();
  const { mayEnd } = useSignOnRights();
  const list = useList(
    "GET /api/organization/connections/{id}/identities",
    { sort: "email" },
    { path: { id: connectionId } },
  );
  const columns: Column<Identity>[] = [
    { title: texts.person, render: (identity) => <Person of={identity} /> },
    { title: texts.address, sort: "email", render: ({ email }) => <span className="break">{email}</span> },
    { title: texts.groups, render: ({ groups }) => <Groups of={groups} /> },
    {
      title: texts.lastSignIn,
      sort: "lastSignInAt",
      render: ({ lastSignInAt, linkedAt }) => (
        <>
          <Ago at={lastSignInAt} />
          <Hint size="xs">{texts.linked(date(linkedAt))}</Hint>
        </>
      ),
    },
    {
      title: "",
      render: ({ user }) => mayEnd && <Remove connectionId={connectionId} user={user} />,
    },
  ];
  return (
    <div tabIndex={-1} data-keeps-focus>
      <DataTable
        label={texts.people}
        list={list}
        columns={columns}
        rowKey={({ user }) => user.id}
        empty={<EmptyState icon="people" text={texts.none} />}
        searchable
        searchPlaceholder={texts.search}
      />
    </div>
  );
}

function Person({ of: { user } }: { of: Identity }) {
  const name = `${user.firstName} ${user.lastName}`;
  return (
    <div className="person">
      <Avatar name={name} id={user.id} size={32} />
      <div>
        <TextLink to={`/members/${user.id}`} fw={500}>
          {name}
        </TextLink>
        <Text size="xs" c="dimmed" className="break">
          {user.email}
        </Text>
      </div>
    </div>
  );
}

const SHOWN = 3;

function Groups({ of: groups }: { of: readonly string[] }) {
  const texts = useTexts(identityTexts);
  const { number } = useFormat();
  if (groups.length === 0) return "–";
  return (
    <div className="break">
      {groups.slice(0, SHOWN).join(", ")}
      {groups.length > SHOWN && <Hint size="xs">{texts.more(number(groups.length - SHOWN))}</Hint>}
    </div>
  );
}

type RemoveProps = { readonly connectionId: string; readonly user: Identity["user"] };

function Remove({ connectionId, user: { id: userId, email } }: RemoveProps) {
  const texts = useTexts(identityTexts);
  const client = useClient();
  return (
    <ConfirmButton
      label={texts.remove}
      aria-label={texts.removeOf(email)}
      size="compact-sm"
      question={texts.removeQuestion(email)}
      run={() =>
        client.request("DELETE /api/organization/connections/{id}/identities/{userId}", {
          path: { id: connectionId, userId },
        })
      }
      invalidates={[
        "GET /api/organization/connections/{id}/identities",
        "GET /api/organization/connections/{id}/groups",
        "GET /api/organization/connections/{id}",
      ]}
    />
  );
}

import { Group } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useCan, useClient } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { useSettings } from "../../lib/settings.ts";
import { joinRequestTexts } from "../../texts/joining.ts";
import { memberTexts } from "../../texts/members.ts";
import { Ago } from "../../ui/ago.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import { Approve } from "./approve.tsx";
import { MembersTabs } from "./tabs.tsx";

type JoinRequest = Schemas["JoinRequest"];

export function JoinRequests() {
  const texts = useTexts(joinRequestTexts);
  const { members } = useTexts(memberTexts);
  const { data: settings } = useSettings();
  const maySeeMembers = Boolean(useCan("Members.Read"));
  return (
    <Page
      title={maySeeMembers ? members : texts.requests}
      part={maySeeMembers ? texts.requests : undefined}
      about={texts.about}
    >
      {settings?.sso === true && <Requests />}
      {settings?.sso === false && <EmptyState icon="people" text={texts.signOnOff} />}
    </Page>
  );
}

function Requests() {
  const texts = useTexts(joinRequestTexts);
  const list = useList("GET /api/members/join-requests", { sort: "createdAt", order: "desc" });
  const columns: Column<JoinRequest>[] = [
    { title: texts.person, render: ({ user }) => <Person user={user} /> },
    { title: texts.domain, render: ({ domain }) => <span className="break">{domain}</span> },
    { title: texts.asked, sort: "createdAt", render: ({ createdAt }) => <Ago at={createdAt} /> },
    { title: texts.ends, render: ({ expiresAt }) => <Ago at={expiresAt} /> },
    { title: "", render: (request) => <Decision request={request} onClose={list.retry} /> },
  ];
  return (
    <>
      <MembersTabs requests={list.rows && list.search.search === undefined ? list.total : undefined} />
      <DataTable
        label={texts.requests}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState icon="people" text={texts.none} />}
        searchable
      />
    </>
  );
}

const nameOf = ({ firstName, lastName }: JoinRequest["user"]) => `${firstName} ${lastName}`;

function Person({ user }: { user: JoinRequest["user"] }) {
  return (
    <div className="person">
      <Avatar name={nameOf(user)} id={user.id} size={32} />
      <div>
        {nameOf(user)}
        <div className="dimmed break">{user.email}</div>
      </div>
    </div>
  );
}

function Decision({ request, onClose }: { request: JoinRequest; onClose: () => void }) {
  const texts = useTexts(joinRequestTexts);
  const client = useClient();
  const name = nameOf(request.user);
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Approve request={request} name={name} onClose={onClose} />
      <ConfirmButton
        size="xs"
        label={texts.deny}
        aria-label={texts.denyTitle(name)}
        question={texts.denyQuestion(name)}
        run={(_, idempotencyKey) =>
          client.request("POST /api/members/join-requests/{id}/deny", {
            path: { id: request.id },
            idempotencyKey,
          })
        }
        invalidates={["GET /api/members/join-requests"]}
        sentenceOf={{ NOT_FOUND: texts.ended }}
      />
    </Group>
  );
}

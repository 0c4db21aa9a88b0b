import { Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useCan, useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useErrorText } from "../../lib/errors.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { invitationTexts } from "../../texts/invitations.ts";
import { Ago } from "../../ui/ago.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import { RowMenu } from "../../ui/row-menu.tsx";
import { InviteLinks, MembersTabs } from "../members/tabs.tsx";
import { Grants } from "../shared/grants.tsx";

export function Invitations() {
  const texts = useTexts(invitationTexts);
  const { ago, dateTime } = useFormat();
  const maySeeMembers = Boolean(useCan("Members.Read"));
  const list = useList("GET /api/members/invitations", { sort: "createdAt", order: "desc" });
  const columns: Column<Schemas["Invitation"]>[] = [
    {
      title: texts.email,
      sort: "email",
      render: ({ id, email }) => (
        <div className="person">
          <Avatar name={email} id={id} size={32} />
          <Text size="sm" fw={500} className="break">
            {email}
          </Text>
        </div>
      ),
    },
    { title: texts.roles, render: ({ assignments }) => <Grants of={assignments} /> },
    {
      title: texts.invitedBy,
      render: ({ invitedBy, invitedByServiceAccount }) =>
        invitedBy?.email ?? invitedByServiceAccount?.name ?? "–",
    },
    { title: texts.sent, sort: "createdAt", render: ({ lastSentAt }) => <Ago at={lastSentAt} /> },
    {
      title: texts.validity,
      render: ({ expired, expiresAt }) =>
        expired ? (
          <span className="tag" data-tone="bad">
            {texts.expired}
          </span>
        ) : (
          <span title={dateTime(expiresAt)}>{texts.until(ago(expiresAt))}</span>
        ),
    },
    { title: "", render: (invitation) => <Actions invitation={invitation} /> },
  ];
  return (
    <Page
      title={maySeeMembers ? texts.members : texts.invitations}
      part={maySeeMembers ? texts.invitations : undefined}
      about={texts.about}
      actions={<InviteLinks />}
    >
      <MembersTabs invited={list.rows && list.search.search === undefined ? list.total : undefined} />
      <DataTable
        label={texts.invitations}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState icon="mail" text={texts.none} />}
        searchable
      />
    </Page>
  );
}

function Actions({ invitation: { id, email } }: { invitation: Schemas["Invitation"] }) {
  const texts = useTexts(invitationTexts);
  const errorText = useErrorText();
  const client = useClient();
  const mayResend = useCan("Invitations.Resend");
  const mayRevoke = useCan("Invitations.Delete");
  const resend = useAction({
    run: (_, idempotencyKey) =>
      client.request("POST /api/members/invitations/{id}/resend", { path: { id }, idempotencyKey }),
    invalidates: ["GET /api/members/invitations"],
  });
  return (
    <div className="row-actions">
      <span role="status" className="dimmed" data-error={resend.error !== null || undefined}>
        {resend.error !== null ? errorText(resend.error) : resend.isDone && texts.resent}
      </span>
      <RowMenu
        label={texts.actionsOf(email)}
        actions={[
          mayResend && { label: texts.resend, onClick: () => resend.run(), isDisabled: resend.isRunning },
          mayRevoke && {
            label: texts.revoke,
            confirm: {
              question: texts.revokeQuestion(email),
              run: () => client.request("DELETE /api/members/invitations/{id}", { path: { id } }),
              invalidates: ["GET /api/members/invitations", "GET /api/organization/billing"],
            },
          },
        ]}
      />
    </div>
  );
}

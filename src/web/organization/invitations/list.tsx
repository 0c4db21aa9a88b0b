import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "../../../client/index.ts";
import { useCan, useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useErrorText } from "../../lib/errors.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useList } from "../../lib/list.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState, Page } from "../../ui/page.tsx";
import { Grants } from "../shared/grants.tsx";
import { Guard } from "../shared/guard.tsx";
import { invitationTexts } from "./texts.ts";

/** The list of pending invitations. */
export function Invitations() {
  const texts = useTexts(invitationTexts);
  return (
    <Guard title={texts.invitations} needs="Invitations.Read">
      <InvitationList />
    </Guard>
  );
}

function InvitationList() {
  const texts = useTexts(invitationTexts);
  const { ago, dateTime } = useFormat();
  const mayInvite = useCan("Invitations.Create");
  const list = useList("GET /api/members/invitations", { sort: "createdAt", order: "desc" });
  const columns: Column<Schemas["Invitation"]>[] = [
    {
      key: "email",
      title: texts.email,
      sort: "email",
      render: ({ email }) => (
        <Text size="sm" fw={500} className="break">
          {email}
        </Text>
      ),
    },
    { key: "roles", title: texts.roles, render: ({ assignments }) => <Grants of={assignments} /> },
    {
      key: "by",
      title: texts.invitedBy,
      render: ({ invitedBy, invitedByServiceAccount }) =>
        invitedBy?.email ?? invitedByServiceAccount?.name ?? "–",
    },
    {
      key: "sent",
      title: texts.sent,
      sort: "createdAt",
      render: ({ lastSentAt }) => <span title={dateTime(lastSentAt)}>{ago(lastSentAt)}</span>,
    },
    {
      key: "validity",
      title: texts.validity,
      render: ({ expired, expiresAt }) =>
        expired ? (
          <Badge variant="default" c="var(--mantine-color-error)">
            {texts.expired}
          </Badge>
        ) : (
          <span title={dateTime(expiresAt)}>{texts.until(ago(expiresAt))}</span>
        ),
    },
    { key: "actions", title: texts.actions, render: (invitation) => <Actions invitation={invitation} /> },
  ];
  const invite = mayInvite && (
    <Button component={Link} to="/invitations/new">
      {texts.invite}
    </Button>
  );
  return (
    <Page title={texts.invitations} about={texts.about} actions={invite}>
      <DataTable
        label={texts.invitations}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState text={texts.none} />}
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
    <Stack gap={4}>
      <Group gap="xs" wrap="nowrap">
        {mayResend && (
          <Button
            size="compact-sm"
            variant="default"
            loading={resend.isRunning}
            aria-label={`${texts.resend}: ${email}`}
            onClick={() => resend.run()}
          >
            {texts.resend}
          </Button>
        )}
        {mayRevoke && (
          <ConfirmButton
            size="compact-sm"
            label={texts.revoke}
            question={texts.revokeQuestion(email)}
            run={() => client.request("DELETE /api/members/invitations/{id}", { path: { id } })}
            invalidates={["GET /api/members/invitations", "GET /api/organization/billing"]}
          />
        )}
      </Group>
      <Text size="xs" role="status" c={resend.error === null ? "dimmed" : "var(--mantine-color-error)"}>
        {resend.error !== null ? errorText(resend.error) : resend.isDone && texts.resent}
      </Text>
    </Stack>
  );
}

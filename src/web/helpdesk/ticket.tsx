import { Group, Stack, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../client/react.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { helpdeskTexts } from "../texts/helpdesk.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Page } from "../ui/page.tsx";
import { PendingPage } from "../ui/pending.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { DESKS, type DeskName, staleAfter } from "./desks.ts";
import { Messages } from "./messages.tsx";
import { Properties, StatusBadge, StatusSelect } from "./properties.tsx";
import { Reply } from "./reply.tsx";
import { useMarkAsRead } from "./unread.ts";

/** The interval at which a ticket is refetched, so that replies of others appear without a reload. */
const POLL_MS = 15_000;

export const OwnTicket = () => <Ticket desk="own" />;
export const OrganizationTicket = () => <Ticket desk="organization" />;
export const PlatformTicket = () => <Ticket desk="platform" />;

function Ticket({ desk }: { desk: DeskName }) {
  const texts = useTexts(helpdeskTexts);
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const query = useApiQuery(DESKS[desk].one, { path: { id } }, { refetchInterval: POLL_MS });
  const { data: ticket, error, refetch } = query;
  const back = <TextLink to={DESKS[desk].page}>{texts.backToList}</TextLink>;
  useMarkAsRead(id);
  if (ticket === undefined) return <PendingPage title={texts.ticket} of={query} actions={back} />;
  return (
    <Page title={ticket.subject} about={<Facts ticket={ticket} desk={desk} />}>
      {back}
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      <div className={desk === "own" ? "ticket-own" : "ticket-columns"}>
        <Stack gap="lg">
          <Messages key={ticket.id} ticket={ticket} desk={desk} />
          <ReplyPart ticket={ticket} desk={desk} />
          {desk === "own" && <Changes ticket={ticket} desk={desk} />}
        </Stack>
        {desk !== "own" && (
          <Properties ticket={ticket}>
            <Changes ticket={ticket} desk={desk} />
          </Properties>
        )}
      </div>
    </Page>
  );
}

type Props = { ticket: Schemas["TicketWithMessages"]; desk: DeskName };

function Facts({ ticket, desk }: Props) {
  const texts = useTexts(helpdeskTexts);
  const { dateTime, number } = useFormat();
  const { reporter } = ticket;
  const by =
    reporter === null
      ? texts.deletedAccount
      : `${reporter.firstName} ${reporter.lastName} (${reporter.email})`;
  const facts = [
    `#${number(ticket.number)}`,
    texts[`category${ticket.category}`],
    texts.reportedAt(dateTime(ticket.createdAt)),
    desk === "own" ? ticket.organizationName : texts.reportedBy(by),
  ].filter(Boolean);
  return (
    <Stack component="span" gap={4} className="ticket-facts">
      <Group component="span" gap="xs">
        <StatusBadge status={ticket.status} />
        <span>{facts.join(" · ")}</span>
      </Group>
    </Stack>
  );
}

function ReplyPart({ ticket, desk }: Props) {
  const texts = useTexts(helpdeskTexts);
  const canReply = useCan("Helpdesk.Reply");
  const canUpdate = useCan("Helpdesk.UpdateStatus");
  if (ticket.status === "CLOSED")
    return <Text c="dimmed">{desk === "own" ? texts.isClosed : texts.isClosedForStaff}</Text>;
  if (desk === "organization" && !canReply) return null;
  const isStaff = desk === "platform" || (desk === "organization" && Boolean(canUpdate));
  return <Reply id={ticket.id} desk={desk} canResolve={isStaff && ticket.status !== "RESOLVED"} />;
}

function Changes({ ticket: { id, status }, desk }: Props) {
  const texts = useTexts(helpdeskTexts);
  const client = useClient();
  const canUpdate = useCan("Helpdesk.UpdateStatus");
  if (desk === "own")
    return status === "CLOSED" ? null : (
      <Group>
        <ConfirmButton
          label={texts.close}
          question={texts.closeQuestion}
          run={(_, idempotencyKey) =>
            client.request("POST /api/support/tickets/{id}/close", { path: { id }, idempotencyKey })
          }
          invalidates={staleAfter("own")}
        />
      </Group>
    );
  if (desk === "organization" && !canUpdate) return null;
  return (
    <Group align="flex-end" justify="space-between" mb="md">
      <div>
        <StatusSelect id={id} status={status} desk={desk} />
      </div>
      {desk === "platform" && (
        <ConfirmButton
          label={texts.remove}
          question={texts.removeQuestion}
          run={() => client.request("DELETE /api/helpdesk/tickets/{id}", { path: { id } })}
          invalidates={["GET /api/helpdesk/tickets"]}
          leavesTo="/platform/tickets"
        />
      )}
    </Group>
  );
}

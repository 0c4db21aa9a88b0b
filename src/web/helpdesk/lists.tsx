import { NativeSelect, Stack, Text } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import type { Schemas } from "../../client/index.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useList } from "../lib/list.ts";
import { present } from "../lib/present.ts";
import { helpdeskTexts } from "../texts/helpdesk.ts";
import { Ago } from "../ui/ago.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { activeFilters } from "../ui/filter-chips.tsx";
import { Hint } from "../ui/hint.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { Page } from "../ui/page.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { DESKS, type DeskName } from "./desks.ts";
import { StatusBadge } from "./properties.tsx";
import { useRowKeys } from "./row-keys.ts";
import { CATEGORIES, STATUS_FILTERS, statusesOf, ticketSearch } from "./search.ts";
import { InboxTabs, StatusTabs } from "./tabs.tsx";
import { useUnread } from "./unread.ts";

type Ticket = Schemas["Ticket"];

export function OwnTickets() {
  const texts = useTexts(helpdeskTexts);
  const report = <LinkButton to="/support/tickets/new">{texts.report}</LinkButton>;
  return (
    <Page title={texts.support} about={texts.supportAbout} actions={report}>
      <Tickets desk="own" empty={<EmptyState icon="ticket" text={texts.noOwn} />} />
    </Page>
  );
}

export function OrganizationTickets() {
  const texts = useTexts(helpdeskTexts);
  return (
    <Page title={texts.helpdesk} about={<About text={texts.helpdeskAbout} />}>
      <Tickets desk="organization" empty={<EmptyState text={texts.none} />} />
    </Page>
  );
}

export function PlatformTickets() {
  const texts = useTexts(helpdeskTexts);
  return (
    <Page title={texts.allTickets} about={<About text={texts.allTicketsAbout} />}>
      <Tickets desk="platform" empty={<EmptyState text={texts.none} />} />
    </Page>
  );
}

function About({ text }: { text: string }) {
  const { rowKeys } = useTexts(helpdeskTexts);
  return (
    <>
      {text} <span className="wide-only">{rowKeys}</span>
    </>
  );
}

function Tickets({ desk, empty }: { desk: DeskName; empty: React.ReactNode }) {
  const texts = useTexts(helpdeskTexts);
  const { status, category } = ticketSearch(useSearch({ strict: false }) as Record<string, unknown>);
  const list = useList(DESKS[desk].list, {
    sort: "lastActivityAt",
    order: "desc",
    ...(status && { status: statusesOf(status) }),
    ...(category && { category }),
  });
  const rows = useRowKeys();
  return (
    <Stack gap="lg" ref={rows}>
      {desk === "organization" && <InboxTabs />}
      {desk === "organization" && (
        <StatusTabs value={status} onChange={(next) => list.show({ status: next })} />
      )}
      <DataTable
        label={texts.tickets}
        list={list}
        columns={useColumns(desk)}
        rowKey={({ id }) => id}
        empty={empty}
        searchable
        active={activeFilters([
          { label: texts.status, names: ["status"], value: status && texts[status] },
          { label: texts.category, names: ["category"], value: category && texts[`category${category}`] },
        ])}
        filters={
          <>
            {desk !== "organization" && (
              <NativeSelect
                label={texts.status}
                value={status ?? ""}
                onChange={({ currentTarget: { value } }) => list.show({ status: value })}
                data={[
                  { value: "", label: texts.any },
                  ...STATUS_FILTERS.map((value) => ({ value, label: texts[value] })),
                ]}
              />
            )}
            <NativeSelect
              label={texts.category}
              value={category ?? ""}
              onChange={({ currentTarget: { value } }) => list.show({ category: value })}
              data={[
                { value: "", label: texts.any },
                ...CATEGORIES.map((value) => ({ value, label: texts[`category${value}`] })),
              ]}
            />
          </>
        }
      />
    </Stack>
  );
}

function useColumns(desk: DeskName): Column<Ticket>[] {
  const texts = useTexts(helpdeskTexts);
  const { number } = useFormat();
  const unread = useUnread();
  const reporter: Column<Ticket> = {
    title: texts.reporter,
    render: ({ reporter: by }) => (
      <>
        <Text size="sm">{by === null ? texts.deletedAccount : `${by.firstName} ${by.lastName}`}</Text>
        <Hint size="xs">{by?.email}</Hint>
      </>
    ),
  };
  const organization: Column<Ticket> = {
    title: texts.organization,
    render: ({ organizationName }) => organizationName ?? texts.noOrganization,
  };
  return present<Column<Ticket>>([
    { title: texts.number, sort: "number", render: (ticket) => `#${number(ticket.number)}` },
    {
      title: texts.subject,
      render: ({ id, subject }) => (
        <>
          {unread.has(id) && (
            <span className="unread-dot" title={texts.unread}>
              <span className="visually-hidden">{texts.unread}: </span>
            </span>
          )}
          <TextLink
            size="md"
            to={`${DESKS[desk].page}/${id}`}
            className="ticket-subject"
            fw={unread.has(id) ? 600 : undefined}
          >
            {subject}
          </TextLink>
        </>
      ),
    },
    { title: texts.status, render: ({ status }) => <StatusBadge status={status} /> },
    { title: texts.category, render: ({ category }) => texts[`category${category}`] },
    desk !== "own" && reporter,
    desk === "platform" && organization,
    {
      title: texts.lastActivity,
      sort: "lastActivityAt",
      render: ({ lastActivityAt }) => <Ago at={lastActivityAt} />,
    },
  ]);
}

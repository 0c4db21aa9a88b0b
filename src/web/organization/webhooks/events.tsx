import { Button, Group, Stack, TextInput } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery } from "../../../client/react.ts";
import { listOfPage, useCursors } from "../../lib/cursors.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { PAGE_SIZE } from "../../lib/list.ts";
import { useTypedFilter } from "../../lib/typed-filter.ts";
import { eventTexts } from "../../texts/webhooks.ts";
import { CursorPager } from "../../ui/cursor-pager.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { activeFilters } from "../../ui/filter-chips.tsx";
import { Page } from "../../ui/page.tsx";
import { Excerpt } from "./delivery.tsx";
import { EventTypeFilter, useEventTypeLabels } from "./fields.tsx";
import { WebhookTabs } from "./tabs.tsx";

type Event = Schemas["Event"];
type Filter = { readonly type?: string | undefined; readonly record?: string | undefined };

const route = getRouteApi("/authenticated/events");

export function Events() {
  const texts = useTexts(eventTexts);
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const [shown, setShown] = useState<Event | null>(null);
  const show = (change: Filter) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true, resetScroll: false });
  return (
    <Page title={texts.events} about={texts.about}>
      <WebhookTabs />
      <EventList filter={filter} onFilter={show} onOpen={setShown} />
      <EventDetails event={shown} onClose={() => setShown(null)} onFilter={show} />
    </Page>
  );
}

type ListProps = {
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
  readonly onOpen: (event: Event) => void;
};

function EventList({ filter, onFilter, onOpen }: ListProps) {
  const texts = useTexts(eventTexts);
  const { dateTime, number } = useFormat();
  const labelOf = useEventTypeLabels();
  const cursors = useCursors(`${filter.type} ${filter.record}`);
  const { after } = cursors;
  const query = {
    pageSize: PAGE_SIZE,
    ...(filter.type !== undefined && { type: [filter.type as never] }),
    ...(filter.record !== undefined && { objectId: filter.record }),
    ...(after !== undefined && { after }),
  };
  const page = useApiQuery("GET /api/events", { query }, { placeholderData: keepPreviousData });
  const columns: Column<Event>[] = [
    { title: texts.number, render: ({ sequence }) => number(sequence) },
    { title: texts.time, render: ({ timestamp }) => dateTime(timestamp) },
    { title: texts.type, render: ({ type }) => labelOf(type) },
    { title: texts.actor, render: ({ actor }) => texts[actor?.type ?? "service"] },
    {
      title: "",
      render: (event) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={texts.detailsOf(number(event.sequence))}
          onClick={() => onOpen(event)}
        >
          {texts.details}
        </Button>
      ),
    },
  ];
  const { data, isPlaceholderData } = page;
  return (
    <div>
      <DataTable
        label={texts.list}
        list={listOfPage(page, onFilter)}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState icon="list" text={texts.none} />}
        active={activeFilters([
          { label: texts.type, names: ["type"], value: filter.type && labelOf(filter.type) },
          { label: texts.recordId, names: ["record"], value: filter.record },
        ])}
        filters={<Filters filter={filter} onChange={onFilter} />}
      />
      <CursorPager
        cursors={cursors}
        page={data}
        isPlaceholderData={isPlaceholderData}
        texts={{ back: texts.previous, next: texts.next }}
      />
    </div>
  );
}

function Filters({ filter, onChange }: { filter: Filter; onChange: ListProps["onFilter"] }) {
  const texts = useTexts(eventTexts);
  const record = useTypedFilter(filter.record ?? "", (id) =>
    onChange({ record: id === "" ? undefined : id }),
  );
  return (
    <>
      <EventTypeFilter type={filter.type} onChange={(type) => onChange({ type })} />
      <TextInput label={texts.recordId} {...record} />
    </>
  );
}

type DetailsProps = {
  readonly event: Event | null;
  readonly onClose: () => void;
  readonly onFilter: (filter: Filter) => void;
};

function EventDetails({ event, onClose, onFilter }: DetailsProps) {
  const texts = useTexts(eventTexts);
  const record = event?.data.object.id;
  return (
    <Dialog isOpen={event !== null} onClose={onClose} title={event?.type ?? ""} size="lg">
      {event !== null && (
        <Stack>
          <Excerpt label={texts.payload} text={JSON.stringify(event, null, 2)} none="" />
          {typeof record === "string" && (
            <Group>
              <Button
                variant="default"
                size="xs"
                onClick={() => {
                  onFilter({ record, type: undefined });
                  onClose();
                }}
              >
                {texts.onlyRecord}
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </Dialog>
  );
}

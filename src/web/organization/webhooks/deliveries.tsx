import { Button, Group, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { listOfPage, useCursors } from "../../lib/cursors.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { PAGE_SIZE } from "../../lib/list.ts";
import { deliveryTexts } from "../../texts/webhooks.ts";
import { CursorPager } from "../../ui/cursor-pager.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { activeFilters } from "../../ui/filter-chips.tsx";
import { Section } from "../../ui/page.tsx";
import { RowMenu } from "../../ui/row-menu.tsx";
import { DeliveryDialog } from "./delivery.tsx";
import { DeliveryChart } from "./delivery-chart.tsx";
import { type DeliveryFilter, DeliveryFilters, filterOf } from "./delivery-filters.tsx";
import { useEventTypeLabels } from "./fields.tsx";
import { Recover } from "./recover.tsx";
import { DeliveryState } from "./state.tsx";

type Delivery = Schemas["WebhookDelivery"];
type Props = { readonly endpointId: string; readonly enabled: boolean };

const route = getRouteApi("/authenticated/webhooks/$id");
const POLL_MS = 5_000;
const CHANGED = ["GET /api/webhooks/endpoints/{id}/deliveries", "GET /api/webhooks/endpoints/{id}"] as const;

export function Deliveries({ endpointId: id, enabled }: Props) {
  const texts = useTexts(deliveryTexts);
  const client = useClient();
  const mayUpdate = useCan("Webhooks.Update");
  const navigate = route.useNavigate();
  const { state, type, delivery } = route.useSearch();
  const [note, setNote] = useState("");
  /** Restarts the list at its newest page. */
  const [version, setVersion] = useState(0);
  const testing = useAction<void>({
    run: (_, idempotencyKey) =>
      client.request("POST /api/webhooks/endpoints/{id}/test", { path: { id }, idempotencyKey }),
    invalidates: CHANGED,
    onDone: () => setVersion(version + 1),
  });
  const show = (change: DeliveryFilter & { delivery?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true, resetScroll: false });
  const actions = mayUpdate && enabled && (
    <Group gap="xs">
      <Recover
        endpointId={id}
        onDone={(text) => {
          setNote(text);
          setVersion(version + 1);
        }}
      />
      <Button size="xs" loading={testing.isRunning} onClick={() => testing.run()}>
        {texts.test}
      </Button>
    </Group>
  );
  return (
    <Section title={texts.deliveries} actions={actions}>
      <ErrorAlert error={testing.error} />
      <Text size="sm" role="status">
        {note}
      </Text>
      <DeliveryChart endpointId={id} />
      <DeliveryList
        endpointId={id}
        enabled={enabled}
        version={version}
        filter={{ state, type }}
        onFilter={show}
        onOpen={(deliveryId) => show({ delivery: deliveryId })}
      />
      <DeliveryDialog
        endpointId={id}
        deliveryId={delivery ?? null}
        onClose={() => show({ delivery: undefined })}
      />
    </Section>
  );
}

type ListProps = Props & {
  readonly version: number;
  readonly filter: DeliveryFilter;
  readonly onFilter: (filter: DeliveryFilter) => void;
  readonly onOpen: (deliveryId: string) => void;
};

function DeliveryList({ endpointId: id, enabled, version, filter, onFilter, onOpen }: ListProps) {
  const texts = useTexts(deliveryTexts);
  const { dateTime, number } = useFormat();
  const labelOf = useEventTypeLabels();
  const mayUpdate = useCan("Webhooks.Update");
  const cursors = useCursors(`${version} ${filter.state} ${filter.type}`);
  const { after } = cursors;
  const page = useApiQuery(
    "GET /api/webhooks/endpoints/{id}/deliveries",
    {
      path: { id },
      query: { pageSize: PAGE_SIZE, ...filterOf(filter), ...(after !== undefined && { after }) },
    },
    {
      placeholderData: keepPreviousData,
      refetchInterval: (query) =>
        query.state.data?.data.some(({ nextAttemptAt }) => nextAttemptAt !== null) ? POLL_MS : false,
    },
  );
  const columns: Column<Delivery>[] = [
    { title: texts.time, render: ({ createdAt }) => dateTime(createdAt) },
    { title: texts.type, render: ({ eventType }) => labelOf(eventType) },
    { title: texts.state, render: (delivery) => <DeliveryState of={delivery} /> },
    { title: texts.attempts, render: ({ attemptCount }) => number(attemptCount) },
    { title: texts.response, render: ({ lastAttempt }) => <Response of={lastAttempt} /> },
    {
      title: "",
      render: (delivery) => (
        <Actions
          endpointId={id}
          of={delivery}
          maySend={Boolean(mayUpdate) && enabled && delivery.state !== "PENDING"}
          onOpen={onOpen}
        />
      ),
    },
  ];
  const { data, isPlaceholderData } = page;
  const [state] = filterOf(filter).state ?? [];
  return (
    <>
      <DataTable
        label={texts.list}
        list={listOfPage(page, onFilter)}
        columns={columns}
        rowKey={({ id: deliveryId }) => deliveryId}
        empty={<EmptyState icon="webhook" text={texts.none} />}
        active={activeFilters([
          { label: texts.state, names: ["state"], value: state && texts[state] },
          { label: texts.type, names: ["type"], value: filter.type && labelOf(filter.type) },
        ])}
        filters={<DeliveryFilters filter={filter} onChange={onFilter} />}
      />
      <CursorPager
        cursors={cursors}
        page={data}
        isPlaceholderData={isPlaceholderData}
        texts={{ back: texts.newer, next: texts.older }}
      />
    </>
  );
}

function Response({ of: attempt }: { of: Delivery["lastAttempt"] }) {
  const texts = useTexts(deliveryTexts);
  if (attempt === null) return "–";
  return attempt.status ?? (attempt.error === null ? "–" : texts[attempt.error]);
}

type ActionsProps = {
  readonly endpointId: string;
  readonly of: Delivery;
  readonly maySend: boolean;
  readonly onOpen: (deliveryId: string) => void;
};

function Actions({ endpointId, of: delivery, maySend, onOpen }: ActionsProps) {
  const texts = useTexts(deliveryTexts);
  const { dateTime } = useFormat();
  const client = useClient();
  const { id: deliveryId, nextAttemptAt, eventType, createdAt } = delivery;
  const sending = useAction<void>({
    run: (_, idempotencyKey) =>
      client.request("POST /api/webhooks/endpoints/{id}/deliveries/{deliveryId}/resend", {
        path: { id: endpointId, deliveryId },
        idempotencyKey,
      }),
    invalidates: [...CHANGED, "GET /api/webhooks/endpoints/{id}/deliveries/{deliveryId}"],
  });
  return (
    <div className="row-actions">
      <ErrorAlert error={sending.error} />
      <RowMenu
        label={texts.actionsOf(eventType, dateTime(createdAt))}
        actions={[
          { label: texts.details, onClick: () => onOpen(deliveryId) },
          maySend && {
            label: texts.resend,
            onClick: () => sending.run(),
            isDisabled: nextAttemptAt !== null || sending.isRunning,
          },
        ]}
      />
    </div>
  );
}

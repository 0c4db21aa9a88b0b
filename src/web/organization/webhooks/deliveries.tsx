import { Badge, Button, Group } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { PAGE_SIZE } from "../../lib/list.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { EmptyState, Section } from "../../ui/page.tsx";
import { deliveryTexts } from "./texts.ts";

type Delivery = Schemas["WebhookDelivery"];
type Props = { readonly endpointId: string; readonly enabled: boolean };

const POLL_MS = 5_000;
const CHANGED = ["GET /api/webhooks/endpoints/{id}/deliveries", "GET /api/webhooks/endpoints/{id}"] as const;

/** The deliveries of a webhook endpoint, newest first. They are refetched while an attempt is due. */
export function Deliveries({ endpointId: id, enabled }: Props) {
  const texts = useTexts(deliveryTexts);
  const { dateTime, number } = useFormat();
  const client = useClient();
  const mayUpdate = useCan("Webhooks.Update");
  /** The cursors of the newer pages; empty on the newest page. */
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const after = cursors.at(-1);
  const { data, error, isFetching, isPlaceholderData, refetch } = useApiQuery(
    "GET /api/webhooks/endpoints/{id}/deliveries",
    { path: { id }, query: { pageSize: PAGE_SIZE, ...(after !== undefined && { after }) } },
    {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) =>
        state.data?.data.some(({ nextAttemptAt }) => nextAttemptAt !== null) ? POLL_MS : false,
    },
  );
  const testing = useAction<void>({
    run: (_, idempotencyKey) =>
      client.request("POST /api/webhooks/endpoints/{id}/test", { path: { id }, idempotencyKey }),
    invalidates: CHANGED,
    onDone: () => setCursors([]),
  });
  const columns: Column<Delivery>[] = [
    { key: "time", title: texts.time, render: ({ createdAt }) => dateTime(createdAt) },
    { key: "type", title: texts.type, render: ({ eventType }) => eventType },
    {
      key: "state",
      title: texts.state,
      render: ({ state }) => <Badge variant="default">{texts[state]}</Badge>,
    },
    { key: "attempts", title: texts.attempts, render: ({ attemptCount }) => number(attemptCount) },
    { key: "response", title: texts.response, render: ({ lastAttempt }) => <Response of={lastAttempt} /> },
    {
      key: "actions",
      title: texts.actions,
      render: (delivery) =>
        mayUpdate && enabled && delivery.state !== "PENDING" && <Resend endpointId={id} of={delivery} />,
    },
  ];
  const test = mayUpdate && enabled && (
    <Button size="xs" loading={testing.isRunning} onClick={() => testing.run()}>
      {texts.test}
    </Button>
  );
  const rows = data?.data;
  return (
    <Section title={texts.deliveries} actions={test}>
      <ErrorAlert error={testing.error} />
      <DataTable
        label={texts.list}
        list={{
          rows,
          total: rows?.length ?? 0,
          search: {},
          error,
          isFetching,
          retry: () => void refetch(),
          show: () => {},
        }}
        columns={columns}
        rowKey={({ id: deliveryId }) => deliveryId}
        empty={<EmptyState text={texts.none} />}
      />
      <Group justify="flex-end" mt="sm">
        {cursors.length > 0 && (
          <Button size="xs" variant="default" onClick={() => setCursors(cursors.slice(0, -1))}>
            {texts.newer}
          </Button>
        )}
        {data?.hasMore && (
          <Button
            size="xs"
            variant="default"
            disabled={isPlaceholderData}
            onClick={() => setCursors([...cursors, data.cursor])}
          >
            {texts.older}
          </Button>
        )}
      </Group>
    </Section>
  );
}

function Response({ of: attempt }: { of: Delivery["lastAttempt"] }) {
  const texts = useTexts(deliveryTexts);
  if (attempt === null) return "–";
  return attempt.status ?? (attempt.error === null ? "–" : texts[attempt.error]);
}

function Resend({ endpointId, of: { id: deliveryId, nextAttemptAt } }: { endpointId: string; of: Delivery }) {
  const texts = useTexts(deliveryTexts);
  const client = useClient();
  const sending = useAction<void>({
    run: (_, idempotencyKey) =>
      client.request("POST /api/webhooks/endpoints/{id}/deliveries/{deliveryId}/resend", {
        path: { id: endpointId, deliveryId },
        idempotencyKey,
      }),
    invalidates: CHANGED,
  });
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        loading={sending.isRunning}
        disabled={nextAttemptAt !== null}
        onClick={() => sending.run()}
      >
        {texts.resend}
      </Button>
      <ErrorAlert error={sending.error} />
    </>
  );
}

import { Code, Stack, Text, Title } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { deliveryTexts } from "../../texts/webhooks.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Hint } from "../../ui/hint.tsx";
import { DeliveryState } from "./state.tsx";

type Props = {
  readonly endpointId: string;
  /** The delivery to show; null closes the dialog. */
  readonly deliveryId: string | null;
  readonly onClose: () => void;
};

export function DeliveryDialog({ endpointId: id, deliveryId, onClose }: Props) {
  const texts = useTexts(deliveryTexts);
  const { data, error, refetch } = useApiQuery(
    "GET /api/webhooks/endpoints/{id}/deliveries/{deliveryId}",
    { path: { id, deliveryId: deliveryId ?? "" } },
    { enabled: deliveryId !== null },
  );
  return (
    <Dialog isOpen={deliveryId !== null} onClose={onClose} title={texts.details} size="lg">
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      {deliveryId !== null && data !== undefined && <Details of={data} />}
    </Dialog>
  );
}

function Details({ of: delivery }: { of: Schemas["WebhookDeliveryDetails"] }) {
  const texts = useTexts(deliveryTexts);
  const { dateTime, number } = useFormat();
  const { eventType, eventId, payload, nextAttemptAt } = delivery;
  const attempts = delivery.attempts.filter((attempt) => attempt !== null);
  return (
    <Stack gap="md">
      <div>
        <Text fw={500}>
          {eventType} <DeliveryState of={delivery} />
        </Text>
        <Hint size="xs" className="break">
          {texts.event} {eventId}
        </Hint>
        {nextAttemptAt !== null && <Text size="sm">{texts.nextAttempt(dateTime(nextAttemptAt))}</Text>}
      </div>
      {attempts.length === 0 && <Text size="sm">{texts.noAttempt}</Text>}
      {attempts.map((attempt) => (
        <section key={attempt.number}>
          <Title order={3} size="h6">
            {texts.attempt(number(attempt.number))} · {dateTime(attempt.startedAt)} ·{" "}
            {texts.duration(number(attempt.durationMs))} ·{" "}
            {attempt.status ?? (attempt.error === null ? "–" : texts[attempt.error])}
          </Title>
          {attempt.status !== null && (
            <Excerpt label={texts.responseBody} text={attempt.responseExcerpt} none={texts.noResponse} />
          )}
        </section>
      ))}
      <section>
        <Title order={3} size="h6">
          {texts.payload}
        </Title>
        <Excerpt
          label={texts.payload}
          text={payload === null ? null : JSON.stringify(payload, null, 2)}
          none={texts.noPayload}
        />
      </section>
    </Stack>
  );
}

/** Shows a body of a request or response in a box that scrolls; `none` is shown if there is no text. */
export function Excerpt({ label, text, none }: { label: string; text: string | null; none: string }) {
  if (text === null || text === "") return <Hint>{none}</Hint>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="excerpt" tabIndex={0} aria-label={label}>
      <Code block>{text}</Code>
    </section>
  );
}

import { Button, Stack } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { webhookTexts } from "../../texts/webhooks.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { PendingPage } from "../../ui/pending.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { Deliveries } from "./deliveries.tsx";
import { useEventTypeLabels } from "./fields.tsx";
import { EditEndpoint } from "./forms.tsx";
import { RotateSecret } from "./rotate.tsx";
import { State } from "./state.tsx";
import { WebhookBanner } from "./tabs.tsx";

const route = getRouteApi("/authenticated/webhooks/$id");

export function WebhookPage() {
  const texts = useTexts(webhookTexts);
  const { id } = route.useParams();
  const query = useApiQuery("GET /api/webhooks/endpoints/{id}", { path: { id } });
  if (query.data !== undefined) return <Endpoint key={id} of={query.data} />;
  return <PendingPage title={texts.webhooks} of={query} actions={<Back />} />;
}

const Back = () => <TextLink to="/webhooks">{useTexts(webhookTexts).back}</TextLink>;

const LIST = ["GET /api/webhooks/endpoints"] as const;
const CHANGED = [...LIST, "GET /api/webhooks/endpoints/{id}"] as const;

function Endpoint({ of: endpoint }: { of: Schemas["WebhookEndpoint"] }) {
  const texts = useTexts(webhookTexts);
  const { date, dateTime, number } = useFormat();
  const labelOf = useEventTypeLabels();
  const client = useClient();
  const mayUpdate = useCan("Webhooks.Update");
  const mayDelete = useCan("Webhooks.Delete");
  const { id, url, description, enabled, eventTypes, failingSince, lastSuccessAt, pendingCount, createdAt } =
    endpoint;
  const setEnabled = (next: boolean) =>
    client.request("PATCH /api/webhooks/endpoints/{id}", { path: { id }, body: { enabled: next } });
  const enabling = useAction({ run: () => setEnabled(true), invalidates: CHANGED });
  return (
    <Page
      title={new URL(url).host}
      about={[description, texts.created(date(createdAt))].filter((part) => part !== "").join(" · ")}
      actions={
        <>
          {mayUpdate && <EditEndpoint of={endpoint} />}
          {mayUpdate && <RotateSecret id={id} />}
          {mayUpdate && enabled && (
            <ConfirmButton
              label={texts.disable}
              question={texts.disableQuestion}
              run={() => setEnabled(false)}
              invalidates={CHANGED}
            />
          )}
          {mayUpdate && !enabled && (
            <Button loading={enabling.isRunning} onClick={() => enabling.run()}>
              {texts.enable}
            </Button>
          )}
          {mayDelete && (
            <ConfirmButton
              label={texts.remove}
              question={texts.removeQuestion}
              run={() => client.request("DELETE /api/webhooks/endpoints/{id}", { path: { id } })}
              leavesTo="/webhooks"
              invalidates={[...LIST, "GET /api/organization/billing"]}
            />
          )}
        </>
      }
    >
      <WebhookBanner />
      <Back />
      <ErrorAlert error={enabling.error} />
      <Section title={texts.state}>
        <Stack gap="xs">
          <State of={endpoint} />
          <Fact title={texts.url}>{url}</Fact>
          <Fact title={texts.eventTypes}>
            {eventTypes.includes("*") ? texts.all : eventTypes.map(labelOf).join(", ")}
          </Fact>
          <Fact title={texts.lastSuccess}>
            {lastSuccessAt === null ? texts.never : dateTime(lastSuccessAt)}
          </Fact>
          {failingSince !== null && <Fact title={texts.failing}>{dateTime(failingSince)}</Fact>}
          <Fact title={texts.pending}>{number(pendingCount)}</Fact>
        </Stack>
      </Section>
      <Deliveries endpointId={id} enabled={enabled} />
    </Page>
  );
}

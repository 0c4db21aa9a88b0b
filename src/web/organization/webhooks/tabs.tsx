import { Alert, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { webhookTexts } from "../../texts/webhooks.ts";
import { Tabs } from "../../ui/tabs.tsx";

type Endpoint = Schemas["WebhookEndpoint"];

/** The maximum number of endpoints of an organization, which is a page of their list. */
const MAX_ENDPOINTS = 50;

const needsAttention = ({ enabled, disabledReason, failingSince }: Endpoint) =>
  enabled ? failingSince !== null : disabledReason === "FAILING" || disabledReason === "GONE";

/** Names the webhook endpoints that fail, and those that the service disabled; renders nothing if there are none. */
export function WebhookBanner() {
  const texts = useTexts(webhookTexts);
  const { data } = useApiQuery("GET /api/webhooks/endpoints", { query: { pageSize: MAX_ENDPOINTS } });
  const affected = (data?.data ?? []).filter(needsAttention);
  if (affected.length === 0) return null;
  const hosts = [...new Set(affected.map(({ url }) => new URL(url).host))].join(", ");
  return (
    <Alert color="red" role="alert" variant="outline" mb="sm">
      <Text size="sm">{texts.needsAttention(hosts)}</Text>
    </Alert>
  );
}

export function WebhookTabs() {
  const texts = useTexts(webhookTexts);
  const [maySeeWebhooks, maySeeEvents] = [useCan("Webhooks.Read"), useCan("Events.Read")];
  return (
    <>
      {maySeeWebhooks && <WebhookBanner />}
      {maySeeWebhooks && maySeeEvents && (
        <Tabs
          label={texts.webhooks}
          tabs={[
            { to: "/webhooks", label: texts.webhooks },
            { to: "/events", label: texts.events },
          ]}
        />
      )}
    </>
  );
}

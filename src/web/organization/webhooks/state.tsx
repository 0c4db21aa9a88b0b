import { Badge, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { webhookTexts } from "./texts.ts";

/** Shows whether events are sent to a webhook endpoint; if not, why. */
export function State({ of: { enabled, disabledReason } }: { of: Schemas["WebhookEndpoint"] }) {
  const texts = useTexts(webhookTexts);
  return (
    <div>
      <Badge variant="default">{enabled ? texts.enabled : texts.disabled}</Badge>
      {disabledReason !== null && (
        <Text size="xs" c="dimmed">
          {texts[disabledReason]}
        </Text>
      )}
    </div>
  );
}

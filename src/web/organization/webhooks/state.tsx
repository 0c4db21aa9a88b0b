import type { Schemas } from "../../../client/index.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { deliveryTexts, webhookTexts } from "../../texts/webhooks.ts";
import { Hint } from "../../ui/hint.tsx";

/** Shows whether events are sent to a webhook endpoint; if not, why. */
export function State({ of: { enabled, disabledReason, failingSince } }: { of: Schemas["WebhookEndpoint"] }) {
  const texts = useTexts(webhookTexts);
  return (
    <div>
      <span className="tag" data-tone={!enabled ? undefined : failingSince === null ? "good" : "bad"}>
        {enabled ? texts.enabled : texts.disabled}
      </span>
      {disabledReason !== null && <Hint size="xs">{texts[disabledReason]}</Hint>}
    </div>
  );
}

const TONES = { PENDING: "info", SUCCEEDED: "good", FAILED: "bad", DISCARDED: "warn" } as const;

export function DeliveryState({ of: { state } }: { of: Pick<Schemas["WebhookDelivery"], "state"> }) {
  const texts = useTexts(deliveryTexts);
  return (
    <span className="tag" data-tone={TONES[state]}>
      {texts[state]}
    </span>
  );
}

import { useCan } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { webhookTexts } from "./texts.ts";

/** The tabs of webhooks and of the events that they send. */
export function WebhookTabs() {
  const texts = useTexts(webhookTexts);
  const [maySeeWebhooks, maySeeEvents] = [useCan("Webhooks.Read"), useCan("Events.Read")];
  if (!maySeeWebhooks || !maySeeEvents) return null;
  return (
    <Tabs
      label={texts.webhooks}
      tabs={[
        { to: "/webhooks", label: texts.webhooks },
        { to: "/events", label: texts.events },
      ]}
    />
  );
}

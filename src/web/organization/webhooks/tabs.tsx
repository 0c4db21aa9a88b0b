import { useCan } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { WebhookBanner } from "./banner.tsx";
import { webhookTexts } from "./texts.ts";

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

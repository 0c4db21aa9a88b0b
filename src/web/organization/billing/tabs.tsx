import { useCan } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { billingTexts } from "../../texts/billing.ts";
import { Tabs } from "../../ui/tabs.tsx";

export function BillingTabs() {
  const texts = useTexts(billingTexts);
  if (!useCan("Organization.Read")) return null;
  return (
    <Tabs
      label={texts.billing}
      tabs={[
        { to: "/billing", label: texts.planTab },
        { to: "/billing/usage", label: texts.usage },
      ]}
    />
  );
}

import { useTexts } from "../lib/i18n.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { helpdeskTexts } from "./texts.ts";

export function InboxTabs() {
  const texts = useTexts(helpdeskTexts);
  return (
    <Tabs
      label={texts.helpdesk}
      tabs={[
        { to: "/helpdesk/tickets", label: texts.tickets },
        { to: "/helpdesk/overview", label: texts.overview },
      ]}
    />
  );
}

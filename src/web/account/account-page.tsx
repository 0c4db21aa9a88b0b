import type { ReactNode } from "react";
import { useTexts } from "../lib/i18n.tsx";
import { useSettings } from "../lib/settings.ts";
import { profileTexts } from "../texts/profile.ts";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";

const PAGES = [
  ["/profile", "profile"],
  ["/profile/security", "security"],
  ["/profile/sessions", "sessions"],
  ["/profile/apps", "apps"],
  ["/profile/data", "data"],
] as const;

type Props = { title: string; about?: ReactNode; actions?: ReactNode; children: ReactNode };

/** Layout of the account pages, with links to all of them; the router marks the current one. */
export function AccountPage({ children, ...page }: Props) {
  const texts = useTexts(profileTexts);
  const { data: settings } = useSettings();
  const tabs = PAGES.filter(([, name]) => name !== "apps" || settings?.oauth);
  return (
    <div className="account-page settings">
      <Page {...page}>
        <Tabs label={texts.sections} tabs={tabs.map(([to, name]) => ({ to, label: texts[name] }))} />
        {children}
      </Page>
    </div>
  );
}

import type { ReactNode } from "react";
import { useCan } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useSettings } from "../../lib/settings.ts";
import { appSettingsTexts, registeredAppTexts } from "../../texts/app-settings.ts";
import { connectedAppTexts } from "../../texts/connected-apps.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";

type Props = {
  /** The name of the page among those about connected apps. */
  readonly part: "apps" | "rules" | "registered";
  readonly children: ReactNode;
};

/** The frame of the organization's pages about connected apps, if the service has them. */
export function AppsPage({ part, children }: Props) {
  const texts = useTexts(appSettingsTexts);
  const { registered } = useTexts(registeredAppTexts);
  const { off } = useTexts(connectedAppTexts);
  const { data: settings } = useSettings();
  const maySeeApps = useCan("ConnectedApps.Read");
  const maySeeRules = useCan("Organization.Read", null);
  const names = { apps: undefined, rules: texts.rules, registered };
  return (
    <Page title={texts.apps} part={names[part]} about={texts.about}>
      {settings?.oauth === false && <EmptyState icon="robot" text={off} />}
      {settings?.oauth === true && (
        <>
          {maySeeRules && (
            <Tabs
              label={texts.apps}
              tabs={[
                maySeeApps && { to: "/settings/apps", label: texts.apps },
                { to: "/settings/apps/rules", label: texts.rules },
                { to: "/settings/apps/registered", label: registered },
              ]}
            />
          )}
          {children}
        </>
      )}
    </Page>
  );
}

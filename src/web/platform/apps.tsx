import { useTexts } from "../lib/i18n.tsx";
import { useSettings } from "../lib/settings.ts";
import { connectedAppTexts } from "../texts/connected-apps.ts";
import { RegisteredApps } from "../ui/apps/registered-apps.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";

export function PlatformApps() {
  const texts = useTexts(connectedAppTexts);
  const { data: settings } = useSettings();
  return (
    <Page title={texts.platformApps}>
      {settings?.oauth === false && <EmptyState icon="robot" text={texts.off} />}
      {settings?.oauth === true && <RegisteredApps of="platform" mayUpdate />}
    </Page>
  );
}

import { useTexts } from "../../lib/i18n.tsx";
import { useSettings } from "../../lib/settings.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import { Connections } from "./connections.tsx";
import { Domains } from "./domains.tsx";
import { PlanNotice } from "./plan-notice.tsx";
import { Policy } from "./policy.tsx";
import { signOnTexts } from "./texts.ts";

/** Single sign-on of the organization: its domains, its connections with their tests, and the policy. */
export function SignOn() {
  const texts = useTexts(signOnTexts);
  const { data: settings } = useSettings();
  const isOff = settings?.sso === false;
  return (
    <Page title={texts.signOn} about={texts.about}>
      {isOff && <EmptyState icon="shield" text={texts.off} />}
      {settings?.sso === true && (
        <>
          <PlanNotice />
          <Domains />
          <Connections />
          <Policy />
        </>
      )}
    </Page>
  );
}

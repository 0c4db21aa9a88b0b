import { Alert, Text } from "@mantine/core";
import { useApiQuery, useCan } from "../../../client/react.ts";
import { useClaims } from "../../lib/claims.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { useSettings } from "../../lib/settings.ts";
import { signOnTexts } from "../../texts/sign-on.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { Connections } from "./connections.tsx";
import { Domains } from "./domains.tsx";
import { Policy } from "./policy.tsx";

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

/** Says at once that the plan has no single sign-on, not only after a connection has been filled in. */
function PlanNotice() {
  const texts = useTexts(signOnTexts);
  const mayChoose = useCan("Billing.Read", null) === true;
  const isMember = useClaims().isPlatformAdmin === false;
  const { data } = useApiQuery("GET /api/organization/billing", {}, { enabled: isMember && mayChoose });
  if (data === undefined || data.features.includes("sso")) return null;
  return (
    <Alert color="yellow" variant="outline" className="alert-text">
      <Text size="sm">{texts.noPlan}</Text>
      <TextLink to="/billing">{texts.plans}</TextLink>
    </Alert>
  );
}

import { Alert, Text } from "@mantine/core";
import { useApiQuery, useCan, useSession } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { signOnTexts } from "./texts.ts";

/** Says at once that the plan has no single sign-on, not only after a connection has been filled in. */
export function PlanNotice() {
  const texts = useTexts(signOnTexts);
  const session = useSession();
  const mayChoose = useCan("Billing.Read", null) === true;
  const isMember = session.status === "signed-in" && !session.isPlatformAdmin;
  const { data } = useApiQuery("GET /api/organization/billing", {}, { enabled: isMember && mayChoose });
  if (data === undefined || data.features.includes("sso")) return null;
  return (
    <Alert color="yellow" variant="outline" className="alert-text">
      <Text size="sm">{texts.noPlan}</Text>
      <TextLink to="/billing">{texts.plans}</TextLink>
    </Alert>
  );
}

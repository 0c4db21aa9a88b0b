import { Skeleton } from "@mantine/core";
import { useApiQuery } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { appSettingsTexts } from "../../texts/app-settings.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Hint } from "../../ui/hint.tsx";
import { Section } from "../../ui/page.tsx";
import { useSavedNote } from "../shared/saved.tsx";
import { ApprovedApps } from "./approved.tsx";
import { AppsPage } from "./frame.tsx";
import { PolicyForm } from "./policy-form.tsx";

/** The page with the rules of the organization about apps: who may connect them, and which are approved. */
export function AppRules() {
  return (
    <AppsPage part="rules">
      <Policy />
      <ApprovedApps />
    </AppsPage>
  );
}

function Policy() {
  const texts = useTexts(appSettingsTexts);
  const saved = useSavedNote();
  const { data, error, refetch } = useApiQuery("GET /api/organization");
  return (
    <Section title={texts.policy} actions={saved.note}>
      <Hint mb="sm">{texts.rulesAbout}</Hint>
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      {data === undefined && error === null && <Skeleton height={160} />}
      {data !== undefined && (
        <PolicyForm key={saved.version} policy={data.connectedApps} onSaved={saved.onSaved} />
      )}
    </Section>
  );
}

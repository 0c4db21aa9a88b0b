import { useApiQuery } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { appSettingsTexts } from "../../texts/app-settings.ts";
import { Hint } from "../../ui/hint.tsx";
import { Section } from "../../ui/page.tsx";
import { Pending } from "../../ui/pending.tsx";
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
  const query = useApiQuery("GET /api/organization");
  return (
    <Section title={texts.policy} actions={saved.note}>
      <Hint mb="sm">{texts.rulesAbout}</Hint>
      <Pending of={query} height={160} />
      {query.data !== undefined && (
        <PolicyForm key={saved.version} policy={query.data.connectedApps} onSaved={saved.onSaved} />
      )}
    </Section>
  );
}

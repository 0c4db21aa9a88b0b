import { Paper } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { Page } from "../ui/page.tsx";
import { menuTexts } from "./menu-texts.ts";
import NewOrganizationForm from "./new-organization-form.tsx";

/** The page for creating an organization. */
export function NewOrganization() {
  const texts = useTexts(menuTexts);
  return (
    <div className="narrow">
      <Page title={texts.newOrganization} about={texts.newOrganizationAbout}>
        <Paper withBorder p="md">
          <NewOrganizationForm />
        </Paper>
      </Page>
    </div>
  );
}

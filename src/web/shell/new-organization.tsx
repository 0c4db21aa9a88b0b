import { Paper } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { menuTexts } from "../texts/shell-menus.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";
import NewOrganizationForm from "./new-organization-form.tsx";
import { useMayFound } from "./use-may-found.ts";

export function NewOrganization() {
  const texts = useTexts(menuTexts);
  if (useMayFound() === false)
    return (
      <Page title={texts.newOrganization}>
        <EmptyState text={texts.platformFounds} />
      </Page>
    );
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

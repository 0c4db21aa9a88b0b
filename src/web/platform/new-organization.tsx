import { NativeSelect, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { Schemas } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { useApiForm } from "../lib/form.ts";
import { LANGUAGES, useLanguage, useTexts } from "../lib/i18n.tsx";
import { platformTexts } from "../texts/platform.ts";
import { Form } from "../ui/form.tsx";
import { Page, Section } from "../ui/page.tsx";

export function NewOrganization() {
  const texts = useTexts(platformTexts);
  const { language } = useLanguage();
  const client = useClient();
  const navigate = useNavigate();
  const form = useApiForm({
    initialValues: { name: "", slug: "", ownerEmail: "", language: language as Schemas["Language"] },
    save: ({ slug, ...body }, idempotencyKey) =>
      client.request("POST /api/organizations", {
        body: { ...body, ...(slug !== "" && { slug }) },
        idempotencyKey,
      }),
    fieldOf: { SLUG_TAKEN: "slug", EMAIL_UNAVAILABLE: "ownerEmail" },
    invalidates: ["GET /api/organizations"],
    onDone: ({ id }: Schemas["PlatformOrganization"]) =>
      void navigate({ to: "/platform/organizations/$id", params: { id } }),
  });
  return (
    <Page title={texts.newOrganization} about={texts.newOrganizationAbout}>
      <div className="narrow">
        <Section title={texts.details}>
          <Form of={form} submit={texts.create}>
            <TextInput label={texts.name} maxLength={100} {...form.field("name")} />
            <TextInput
              label={texts.slug}
              description={texts.slugAbout}
              maxLength={63}
              {...form.field("slug")}
            />
            <TextInput
              type="email"
              label={texts.ownerEmail}
              description={texts.ownerAbout}
              {...form.field("ownerEmail")}
            />
            <NativeSelect
              label={texts.ownerLanguage}
              {...form.field("language")}
              data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
            />
          </Form>
        </Section>
      </div>
    </Page>
  );
}

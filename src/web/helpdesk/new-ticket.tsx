import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { Schemas } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { lastPage } from "../lib/last-page.ts";
import { helpdeskTexts } from "../texts/helpdesk.ts";
import { Form } from "../ui/form.tsx";
import { Page, Section } from "../ui/page.tsx";
import { ImagesField } from "./images-field.tsx";
import { CATEGORIES } from "./search.ts";
import { IMAGE_ERRORS, useUpload } from "./use-upload.ts";

export function NewTicket() {
  const texts = useTexts(helpdeskTexts);
  const client = useClient();
  const navigate = useNavigate();
  const { progress, track } = useUpload();
  const form = useApiForm({
    initialValues: {
      subject: "",
      category: "BUG" as Schemas["TicketCategory"],
      message: "",
      images: [] as File[],
    },
    save: (values, idempotencyKey) =>
      track((onProgress) =>
        client.upload("POST /api/support/tickets", {
          form: {
            ...values,
            browser: navigator.userAgent.slice(0, 500),
            pagePath: lastPage(),
            appVersion: APP_VERSION,
          },
          onProgress,
          idempotencyKey,
        }),
      ),
    fieldOf: IMAGE_ERRORS,
    invalidates: ["GET /api/support/tickets"],
    onDone: ({ id }: Schemas["TicketWithMessages"]) =>
      void navigate({ to: "/support/tickets/$id", params: { id } }),
  });
  const { images } = form.form.values;
  return (
    <Page title={texts.newTicket} about={texts.newTicketAbout}>
      <div className="form-page">
        <Section title={texts.whatHappened}>
          <Form of={form} submit={texts.send}>
            <TextInput label={texts.subject} maxLength={200} {...form.field("subject")} />
            <NativeSelect
              label={texts.category}
              {...form.field("category")}
              data={CATEGORIES.map((value) => ({ value, label: texts[`category${value}`] }))}
            />
            <ImagesField
              images={images}
              onChange={(next) => form.form.setFieldValue("images", next)}
              error={form.form.errors.images}
              progress={progress}
            >
              <Textarea
                label={texts.message}
                description={texts.messageAbout}
                rows={8}
                maxLength={10_000}
                {...form.field("message")}
              />
            </ImagesField>
          </Form>
        </Section>
      </div>
    </Page>
  );
}

import { Checkbox, Textarea } from "@mantine/core";
import { useClient } from "../../client/react.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { Form } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";
import { DESKS, type DeskName, staleAfter } from "./desks.ts";
import { ImagesField } from "./images-field.tsx";
import { helpdeskTexts } from "./texts.ts";
import { IMAGE_ERRORS, useUpload } from "./use-upload.ts";

/** The form for replying to a ticket. Staff can also write internal notes, which the reporter never sees. */
export function Reply({ id, desk }: { id: string; desk: DeskName }) {
  const texts = useTexts(helpdeskTexts);
  const client = useClient();
  const { progress, track } = useUpload();
  const form = useApiForm({
    initialValues: { message: "", internal: false, images: [] as File[] },
    save: ({ message, internal, images }, idempotencyKey) =>
      track((onProgress) =>
        desk === "own"
          ? client.upload(DESKS.own.reply, {
              path: { id },
              form: { message, images },
              onProgress,
              idempotencyKey,
            })
          : client.upload(DESKS[desk].reply, {
              path: { id },
              form: { message, images, internal },
              onProgress,
              idempotencyKey,
            }),
      ),
    fieldOf: IMAGE_ERRORS,
    sentenceOf: { CONFLICT: texts.isFull },
    invalidates: staleAfter(desk),
    onDone: () => form.form.reset(),
  });
  const { images, internal } = form.form.values;
  return (
    <Section title={desk === "own" ? texts.reply : texts.answer}>
      <Form of={form} submit={internal ? texts.saveNote : texts.send}>
        <ImagesField
          images={images}
          onChange={(next) => form.form.setFieldValue("images", next)}
          error={form.form.errors.images}
          progress={progress}
        >
          <Textarea label={texts.message} rows={5} maxLength={10_000} {...form.field("message")} />
        </ImagesField>
        {desk !== "own" && (
          <Checkbox
            label={texts.internal}
            description={texts.internalAbout}
            {...form.form.getInputProps("internal", { type: "checkbox" })}
          />
        )}
      </Form>
    </Section>
  );
}

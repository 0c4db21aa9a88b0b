import { Button, Textarea } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useClient } from "../../client/react.ts";
import { readDraft, saveDraft } from "../lib/drafts.ts";
import { type ApiForm, useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { helpdeskTexts } from "../texts/helpdesk.ts";
import { Form } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";
import { Segments } from "../ui/segments.tsx";
import { DESKS, type DeskName, staleAfter } from "./desks.ts";
import { ImagesField } from "./images-field.tsx";
import { IMAGE_ERRORS, useUpload } from "./use-upload.ts";

/** The form for replying to a ticket. Staff can also write internal notes, which the reporter never sees. */
export function Reply({ id, desk, canResolve }: { id: string; desk: DeskName; canResolve: boolean }) {
  const texts = useTexts(helpdeskTexts);
  const client = useClient();
  const { progress, track } = useUpload();
  const resolves = useRef(false);
  // The text is kept in a draft, but images are not.
  const [hasImages, setHasImages] = useState(false);
  const form = useApiForm({
    initialValues: { message: "", internal: false, images: [] as File[] },
    async save({ message, internal, images }, idempotencyKey) {
      const isResolving = resolves.current;
      resolves.current = false;
      await track((onProgress) =>
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
      );
      if (isResolving && desk !== "own")
        await client.request(DESKS[desk].status, { path: { id }, body: { status: "RESOLVED" } });
    },
    isGuarded: hasImages,
    fieldOf: IMAGE_ERRORS,
    sentenceOf: { CONFLICT: texts.isFull },
    invalidates: staleAfter(desk),
    onDone() {
      form.form.reset();
      setHasImages(false);
    },
  });
  useDraft(form, `${desk} ${id}`);
  const { images, internal } = form.form.values;
  return (
    <Section title={desk === "own" ? texts.reply : texts.replyOrNote}>
      <Form
        of={form}
        submit={internal ? texts.saveNote : texts.send}
        actions={
          canResolve &&
          !internal && (
            <Button
              variant="default"
              disabled={form.isSaving}
              onClick={({ currentTarget }) => {
                resolves.current = true;
                currentTarget.form?.requestSubmit();
              }}
            >
              {texts.sendAndResolve}
            </Button>
          )
        }
      >
        {desk !== "own" && (
          <Segments
            label={texts.replyOrNote}
            options={[
              { value: "reply", label: texts.reply },
              { value: "note", label: texts.internal },
            ]}
            value={internal ? "note" : "reply"}
            onChange={(mode) => form.form.setFieldValue("internal", mode === "note")}
          />
        )}
        <ImagesField
          images={images}
          onChange={(next) => {
            form.form.setFieldValue("images", next);
            setHasImages(next.length > 0);
          }}
          error={form.form.errors.images}
          progress={progress}
        >
          <Textarea
            label={texts.message}
            rows={5}
            maxLength={10_000}
            description={internal ? texts.internalAbout : undefined}
            className={internal ? "note-field" : undefined}
            {...form.field("message")}
            onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
              if (key === "Enter" && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit();
            }}
          />
        </ImagesField>
      </Form>
    </Section>
  );
}

type Values = { message: string; internal: boolean; images: File[] };

/** Keeps the text in this tab until it is sent, also if the user leaves the page. A note is restored as a note. */
function useDraft({ form }: Pick<ApiForm<Values>, "form">, name: string) {
  const { message, internal } = form.values;
  const isRestored = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each ticket, before anything is typed
  useEffect(() => {
    const [note, reply] = [readDraft(`note ${name}`), readDraft(`reply ${name}`)];
    if (note + reply !== "") {
      form.setFieldValue("message", note || reply);
      form.setFieldValue("internal", note !== "");
    }
    isRestored.current = true;
  }, [name]);
  const wasRead = useRef(false);
  useEffect(() => {
    // Skips the values from before the draft was restored; saving them would remove the draft.
    if (!wasRead.current) {
      wasRead.current = isRestored.current;
      return;
    }
    saveDraft(`note ${name}`, internal ? message : "");
    saveDraft(`reply ${name}`, internal ? "" : message);
  }, [message, internal, name]);
}

import { Checkbox, Textarea, TextInput } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { type ApiForm, useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { registeredAppTexts } from "../../texts/app-settings.ts";
import { Dialog, DialogButton } from "../dialog.tsx";
import { Form } from "../form.tsx";
import { RotateForm } from "../rotate-form.tsx";
import type { AppEndpoints } from "./endpoints.ts";

type Endpoints = { readonly endpoints: AppEndpoints };
type Creation = Endpoints & { readonly onCreated: (app: Schemas["NewOAuthClient"]) => void };

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

export function RegisterApp({ endpoints, onCreated }: Creation) {
  const texts = useTexts(registeredAppTexts);
  return (
    <DialogButton size="xs" variant="filled" label={texts.create}>
      {(close) => (
        <RegisterForm
          endpoints={endpoints}
          onCreated={(app) => {
            close();
            onCreated(app);
          }}
          onCancel={close}
        />
      )}
    </DialogButton>
  );
}

function RegisterForm({ endpoints, onCreated, onCancel }: Creation & { readonly onCancel: () => void }) {
  const texts = useTexts(registeredAppTexts);
  const client = useClient();
  const form = useApiForm({
    initialValues: { name: "", redirectUris: "", confidential: false },
    save: ({ redirectUris, ...rest }, idempotencyKey) =>
      client.request(endpoints.create, {
        body: { ...rest, redirectUris: linesOf(redirectUris) },
        idempotencyKey,
      }),
    invalidates: [endpoints.list],
    onDone: onCreated,
    sentenceOf: { CONFLICT: texts.tooMany },
  });
  return (
    <Form of={form} submit={texts.create} onCancel={onCancel}>
      <Fields of={form} />
      <Checkbox
        label={texts.confidential}
        description={texts.confidentialAbout}
        {...form.field("confidential", { type: "checkbox" })}
      />
    </Form>
  );
}

type Values = { name: string; redirectUris: string };

function Fields({ of: { field, form } }: { of: Pick<ApiForm<Values>, "field" | "form"> }) {
  const texts = useTexts(registeredAppTexts);
  // The API names the line: `redirectUris.1`.
  const line = Object.keys(form.errors).find((path) => path.startsWith("redirectUris."));
  return (
    <>
      <TextInput
        label={texts.name}
        description={texts.nameAbout}
        autoComplete="off"
        data-autofocus
        {...field("name")}
      />
      <Textarea
        label={texts.redirectUris}
        description={texts.redirectUrisAbout}
        autosize
        minRows={2}
        spellCheck={false}
        {...field("redirectUris")}
        error={line === undefined ? form.errors.redirectUris : form.errors[line]}
      />
    </>
  );
}

type DialogProps = Endpoints & {
  readonly of: Schemas["OAuthClient"];
  readonly isOpen: boolean;
  readonly onClose: () => void;
};

export function EditApp({ isOpen, ...props }: DialogProps) {
  const texts = useTexts(registeredAppTexts);
  return (
    <Dialog isOpen={isOpen} onClose={props.onClose} title={texts.editTitle(props.of.name)}>
      <EditForm {...props} />
    </Dialog>
  );
}

function EditForm({ of: { id, name, redirectUris }, endpoints, onClose }: Omit<DialogProps, "isOpen">) {
  const client = useClient();
  const form = useApiForm({
    initialValues: { name, redirectUris: redirectUris.join("\n") },
    save: (_values, _key, { redirectUris: changed, ...rest }) =>
      client.request(endpoints.update, {
        path: { id },
        body: { ...rest, ...(changed !== undefined && { redirectUris: linesOf(changed) }) },
      }),
    invalidates: [endpoints.list],
    onDone: onClose,
  });
  return (
    <Form of={form} onCancel={onClose}>
      <Fields of={form} />
    </Form>
  );
}

type ReplacementProps = DialogProps & { readonly onReplaced: (secret: string | null) => void };

export function ReplaceSecret({ isOpen, onClose, of: { id }, endpoints, onReplaced }: ReplacementProps) {
  const texts = useTexts(registeredAppTexts);
  const client = useClient();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={texts.rotate}>
      <RotateForm
        texts={texts}
        run={(body, idempotencyKey) =>
          client.request(endpoints.rotate, { path: { id }, body, idempotencyKey })
        }
        invalidates={[endpoints.list]}
        onDone={({ clientSecret }) => onReplaced(clientSecret)}
      />
    </Dialog>
  );
}

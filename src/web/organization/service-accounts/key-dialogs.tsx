import { Code, Text, TextInput } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { apiUrl } from "../../lib/environment.ts";
import { useApiForm } from "../../lib/form.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { keyTexts } from "../../texts/service-accounts.ts";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { RotateForm } from "../../ui/rotate-form.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Addresses, addressesIn, CHANGED_BY_KEYS } from "./edit-key.tsx";

type Props = {
  readonly accountId: string;
  readonly onCreated: (key: Schemas["NewApiKey"]) => void;
};

export function NewKey(props: Props) {
  const texts = useTexts(keyTexts);
  return (
    <DialogButton size="xs" variant="filled" label={texts.create}>
      {(close) => (
        <NewKeyForm
          accountId={props.accountId}
          onCreated={(key) => {
            close();
            props.onCreated(key);
          }}
          onCancel={close}
        />
      )}
    </DialogButton>
  );
}

/** Returns the end of a day in the browser's time zone. An invalid date is returned unchanged; the API rejects it. */
function endOf(day: string): string {
  const end = new Date(`${day}T23:59:59`);
  return Number.isNaN(end.getTime()) ? day : end.toISOString();
}

function NewKeyForm({ accountId, onCreated, onCancel }: Props & { readonly onCancel: () => void }) {
  const texts = useTexts(keyTexts);
  const client = useClient();
  const form = useApiForm({
    initialValues: { name: "", expiresAt: "", allowedIps: "" },
    save: ({ name, expiresAt, allowedIps }, idempotencyKey) => {
      const addresses = addressesIn(allowedIps);
      return client.request("POST /api/service-accounts/{id}/keys", {
        path: { id: accountId },
        body: {
          name,
          ...(expiresAt !== "" && { expiresAt: endOf(expiresAt) }),
          ...(addresses.length > 0 && { allowedIps: addresses }),
        },
        idempotencyKey,
      });
    },
    invalidates: CHANGED_BY_KEYS,
    onDone: onCreated,
  });
  return (
    <Form of={form} submit={texts.create} onCancel={onCancel}>
      <TextInput label={texts.name} data-autofocus {...form.field("name")} />
      <TextInput
        type="date"
        label={texts.lastDay}
        description={texts.lastDayAbout}
        {...form.field("expiresAt")}
      />
      <Addresses field={form.field("allowedIps")} errors={form.form.errors} />
    </Form>
  );
}

type RotationProps = Props & {
  readonly of: Schemas["ApiKey"];
  readonly isOpen: boolean;
  readonly onClose: () => void;
};

export function RotateKey({ isOpen, onClose, accountId, of: { id: keyId, name }, onCreated }: RotationProps) {
  const texts = useTexts(keyTexts);
  const client = useClient();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={texts.rotateTitle(name)}>
      <RotateForm
        texts={texts}
        run={(body, idempotencyKey) =>
          client.request("POST /api/service-accounts/{id}/keys/{keyId}/rotate", {
            path: { id: accountId, keyId },
            body,
            idempotencyKey,
          })
        }
        invalidates={CHANGED_BY_KEYS}
        onDone={onCreated}
      >
        <Text size="sm">{texts.rotateAbout}</Text>
      </RotateForm>
    </Dialog>
  );
}

type ShownProps = {
  readonly of: Schemas["NewApiKey"] | null;
  /** The previous key, which the new key replaces. */
  readonly replaced: Schemas["ApiKey"] | undefined;
  readonly onKept: () => void;
};

export function ShownKey({ of: created, replaced, onKept }: ShownProps) {
  const texts = useTexts(keyTexts);
  const { href } = new URL(`${apiUrl}/api/service-accounts/self`, location.origin);
  return (
    <ShownOnce texts={texts} label={texts.key} secret={created?.key} onKept={onKept}>
      {typeof created?.key === "string" && (
        <>
          {/* The example command contains a variable, because a pasted key would stay in the shell's history. */}
          <Text size="sm">{texts.tryIt}</Text>
          <Code className="break">{`curl -H "Authorization: Bearer $API_KEY" ${href}`}</Code>
        </>
      )}
      {replaced !== undefined && <Old of={replaced} />}
    </ShownOnce>
  );
}

function Old({ of: { status, expiresAt } }: { of: Schemas["ApiKey"] }) {
  const texts = useTexts(keyTexts);
  const { dateTime } = useFormat();
  return (
    <Text size="sm">
      {status === "ROTATED" && expiresAt !== null ? texts.oldUntil(dateTime(expiresAt)) : texts.oldEnded}
    </Text>
  );
}

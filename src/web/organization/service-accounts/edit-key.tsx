import { Textarea, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { keyTexts } from "../../texts/service-accounts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";

/** The endpoints whose cached data is stale after an API key was created, replaced or revoked. */
export const CHANGED_BY_KEYS = [
  "GET /api/service-accounts",
  "GET /api/service-accounts/{id}",
  "GET /api/service-accounts/{id}/keys",
] as const;

export const addressesIn = (text: string): string[] =>
  text.split(/[\s,;]+/).filter((address) => address !== "");

type AddressesProps = {
  readonly field: object;
  readonly errors: Record<string, ReactNode>;
};

export function Addresses({ field, errors }: AddressesProps) {
  const texts = useTexts(keyTexts);
  // The path of a violation of one of several addresses contains the index of the address.
  const wrongAddress = Object.keys(errors).find((path) => path.startsWith("allowedIps"));
  return (
    <Textarea
      label={texts.addresses}
      description={texts.addressesAbout}
      autosize
      {...field}
      error={wrongAddress && errors[wrongAddress]}
    />
  );
}

type Props = { readonly accountId: string; readonly of: Schemas["ApiKey"] };
type DialogProps = { readonly isOpen: boolean; readonly onClose: () => void };

export function EditKey({ isOpen, onClose, ...props }: Props & DialogProps) {
  const texts = useTexts(keyTexts);
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={texts.changeTitle(props.of.name)}>
      <EditForm {...props} onDone={onClose} />
    </Dialog>
  );
}

function EditForm({
  accountId,
  of: { id: keyId, name, allowedIps },
  onDone,
}: Props & { readonly onDone: () => void }) {
  const texts = useTexts(keyTexts);
  const client = useClient();
  const before = (allowedIps ?? []).join("\n");
  const form = useApiForm({
    initialValues: { name, allowedIps: before },
    save: (values) => {
      const addresses = addressesIn(values.allowedIps);
      const changed = { allowedIps: addresses.length > 0 ? addresses : null };
      return client.request("PATCH /api/service-accounts/{id}/keys/{keyId}", {
        path: { id: accountId, keyId },
        // Addresses may need a recent proof of identity, a name never does.
        body: { name: values.name, ...(values.allowedIps !== before && changed) },
      });
    },
    invalidates: CHANGED_BY_KEYS,
    onDone,
  });
  return (
    <Form of={form} submit={texts.change}>
      <TextInput label={texts.name} data-autofocus {...form.field("name")} />
      <Addresses field={form.field("allowedIps")} errors={form.form.errors} />
    </Form>
  );
}

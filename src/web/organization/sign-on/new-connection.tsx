import { Button, Group, List, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { connectionTexts, guideTexts } from "../../texts/sign-on-connections.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { Segments } from "../../ui/segments.tsx";
import { RedirectAddress, StartAddress } from "./addresses.tsx";
import { ConnectionFields } from "./connection-fields.tsx";
import { creationOf, GUIDES, KINDS, type Kind, valuesOfKind } from "./connection-values.ts";
import { BeginTest } from "./test-connections.tsx";

type Connection = Schemas["Connection"];

/**
 * A button that opens a dialog for a new connection: the kind of provider, what to do there, and the fields. Afterwards
 * it shows the redirect address, which contains the id of the connection.
 */
export function NewConnection() {
  const texts = useTexts(connectionTexts);
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<Connection | null>(null);
  function open() {
    setMade(null);
    setOpen(true);
  }
  const close = () => setOpen(false);
  return (
    <>
      <Button onClick={open}>{texts.create}</Button>
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title={made === null ? texts.create : texts.made}
        size="lg"
        // What was typed and copied together would be lost.
        closeOnClickOutside={false}
      >
        {made === null ? (
          <CreateForm onMade={setMade} onCancel={close} />
        ) : (
          <Made connection={made} onClose={close} />
        )}
      </Dialog>
    </>
  );
}

type FormProps = { readonly onMade: (connection: Connection) => void; readonly onCancel: () => void };

function CreateForm({ onMade, onCancel }: FormProps) {
  const texts = useTexts(connectionTexts);
  const client = useClient();
  const [kind, setKind] = useState<Kind>("entra");
  const form = useApiForm({
    initialValues: valuesOfKind(kind),
    save: (values, idempotencyKey) =>
      client.request("POST /api/organization/connections", { body: creationOf(values), idempotencyKey }),
    invalidates: ["GET /api/organization/connections"],
    sentenceOf: { CONFLICT: texts.tooMany },
    onDone: onMade,
  });
  /** Keeps what was typed, and replaces what follows from the kind. */
  function choose(next: Kind) {
    const { oidc, claims } = valuesOfKind(next);
    const { clientId, clientSecret, clientSecretExpiresAt } = form.form.getValues().oidc;
    form.form.setFieldValue("oidc", { ...oidc, clientId, clientSecret, clientSecretExpiresAt });
    form.form.setFieldValue("claims", claims);
    setKind(next);
  }
  return (
    <Form of={form} submit={texts.createIt} onCancel={onCancel}>
      <Segments
        label={texts.provider}
        options={KINDS.map((value) => ({ value, label: texts[value] }))}
        value={kind}
        onChange={choose}
      />
      <Guide kind={kind} />
      <ConnectionFields form={form} issuerAbout={texts[`${kind}Issuer`]} />
    </Form>
  );
}

/** What to do at the provider before its values can be entered. */
function Guide({ kind }: { kind: Kind }) {
  const texts = useTexts(guideTexts);
  return (
    <div>
      <Text size="sm" fw={500}>
        {texts.guide}
      </Text>
      <List type="ordered" size="sm" spacing={4} mt={4}>
        {GUIDES[kind].map((step) => (
          <List.Item key={step}>{texts[step]}</List.Item>
        ))}
      </List>
    </div>
  );
}

function Made({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const texts = useTexts(connectionTexts);
  return (
    <Stack>
      <RedirectAddress of={connection} autoFocus />
      <StartAddress of={connection} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {texts.close}
        </Button>
        <BeginTest connectionId={connection.id} />
      </Group>
    </Stack>
  );
}

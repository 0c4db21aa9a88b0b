import { Badge, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { isApiError, type Schemas } from "../../client/index.ts";
import { useApiQuery } from "../../client/react.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useAction } from "../lib/action.ts";
import { useClaims } from "../lib/claims.ts";
import { useApiForm } from "../lib/form.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { passkeyTexts } from "../texts/passkeys.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { Form } from "../ui/form.tsx";
import { Hint } from "../ui/hint.tsx";
import { Section } from "../ui/page.tsx";
import { Pending } from "../ui/pending.tsx";
import { PasskeyError } from "./passkey-error.tsx";

type Passkey = Schemas["Passkey"];
const INVALIDATES = ["GET /api/profile/passkeys", "GET /api/profile/2fa", "GET /api/profile"] as const;

export function Passkeys() {
  const client = useClient();
  const texts = useTexts(passkeyTexts);
  // A confined session does not load it: the 403 would open the dialog for a proof unasked.
  const { confined: isConfined = false } = useClaims();
  const options = { retry: false, enabled: !isConfined };
  const query = useApiQuery("GET /api/profile/passkeys", {}, options);
  const { data, error } = query;
  const add = useAction({ run: () => client.passkeys.register(), invalidates: INVALIDATES });
  // The service is configured without passkeys.
  if (isApiError(error) && error.status === 404) return null;
  return (
    <Section title={texts.passkeys}>
      <Stack gap="sm">
        <Text size="sm">{texts.passkeysAbout}</Text>
        {isConfined ? <Hint>{texts.confined}</Hint> : <Pending of={query} height={80} />}
        {data?.length === 0 && <Hint>{texts.noPasskeys}</Hint>}
        {data !== undefined && data.length > 0 && (
          <div className="rows">
            {data.map((passkey) => (
              <Row key={passkey.id} passkey={passkey} />
            ))}
          </div>
        )}
        <PasskeyError error={add.error} isAdding />
        {client.passkeys.supported() ? (
          <Group justify="space-between">
            <Text size="sm" c="dimmed" style={{ flex: "1 1 14rem" }}>
              {texts.addAbout}
            </Text>
            <Button loading={add.isRunning} onClick={() => add.run()}>
              {texts.add}
            </Button>
          </Group>
        ) : (
          <Text size="sm">{texts.unsupported}</Text>
        )}
      </Stack>
    </Section>
  );
}

function Row({ passkey }: { passkey: Passkey }) {
  const client = useClient();
  const texts = useTexts(passkeyTexts);
  const { ago, date } = useFormat();
  const [isRenaming, setRenaming] = useState(false);
  const { id, name, authenticator, backupEligible, backedUp, signIn, status, createdAt, lastUsedAt } =
    passkey;
  if (isRenaming) return <Rename passkey={passkey} onDone={() => setRenaming(false)} />;
  const kind = backupEligible ? (backedUp ? texts.synced : texts.syncable) : texts.bound;
  const isBlocked = status === "BLOCKED";
  return (
    <div>
      <div>
        <Group gap="xs">
          <Text fw={600} size="sm">
            {name}
          </Text>
          {isBlocked && (
            <Badge color="red" variant="light">
              {texts.blocked}
            </Badge>
          )}
        </Group>
        <Text size="sm">{isBlocked ? texts.blockedAbout : signIn ? kind : texts.secondOnly}</Text>
        <Hint>
          {[
            authenticator !== name && authenticator,
            texts.added(date(createdAt)),
            lastUsedAt === null ? texts.unused : texts.used(ago(lastUsedAt)),
          ]
            .filter(Boolean)
            .join(" · ")}
        </Hint>
      </div>
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${texts.rename}: ${name}`}
          onClick={() => setRenaming(true)}
        >
          {texts.rename}
        </Button>
        <ConfirmButton
          size="compact-sm"
          label={texts.remove}
          aria-label={`${texts.remove}: ${name}`}
          question={texts.removeAbout(name)}
          sentenceOf={{ CONFLICT: texts.lastWay }}
          run={() => client.passkeys.remove(id)}
          invalidates={INVALIDATES}
        />
      </Group>
    </div>
  );
}

function Rename({ passkey: { id, name }, onDone }: { passkey: Passkey; onDone: () => void }) {
  const client = useClient();
  const texts = useTexts(passkeyTexts);
  const form = useApiForm({
    initialValues: { name },
    save: (values) => client.passkeys.rename(id, values.name),
    invalidates: ["GET /api/profile/passkeys"],
    onDone,
  });
  return (
    <div>
      <Form of={form} onCancel={onDone}>
        <TextInput label={texts.name} autoFocus {...form.field("name")} />
      </Form>
    </div>
  );
}

import { Button, Code, CopyButton, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../client/index.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { Form, Password } from "../ui/form.tsx";
import { OwnUsername } from "./own-username.tsx";
import { profileTexts } from "./profile-texts.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";

type Props = { onDone: () => void; onCancel?: () => void; mayLackPassword?: boolean };

/** Sets up the second factor in steps: password, QR code and first code, recovery codes. */
export function TwoFactorSetUp({ onDone, onCancel, mayLackPassword = true }: Props) {
  const [offer, setOffer] = useState<Schemas["OfferedTwoFactorSecret"] | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const texts = useTexts(profileTexts);
  const cancel = onCancel && (
    <Button variant="default" onClick={onCancel}>
      {texts.cancel}
    </Button>
  );
  if (codes !== null) return <RecoveryCodes codes={codes} onKept={onDone} />;
  if (offer !== null) return <Confirm offer={offer} cancel={cancel} onDone={setCodes} />;
  return <Begin cancel={cancel} onDone={setOffer} mayLackPassword={mayLackPassword} />;
}

type BeginProps = {
  cancel: React.ReactNode;
  onDone: (offer: Schemas["OfferedTwoFactorSecret"]) => void;
  mayLackPassword: boolean;
};

function Begin({ cancel, onDone, mayLackPassword }: BeginProps) {
  const client = useClient();
  const texts = useTexts(profileTexts);
  const form = useApiForm({
    initialValues: { password: "" },
    save: ({ password }) =>
      client.request("POST /api/profile/2fa/setup", { body: password === "" ? {} : { password } }),
    onDone,
    fieldOf: { INVALID_CREDENTIALS: "password" },
    sentenceOf: { INVALID_CREDENTIALS: texts.wrongPassword },
  });
  return (
    <Form of={form} submit={texts.begin} actions={cancel}>
      <OwnUsername />
      <Password
        label={texts.password}
        autoComplete="current-password"
        autoFocus
        {...(mayLackPassword && { description: texts.optionalPassword })}
        {...form.field("password")}
      />
    </Form>
  );
}

type ConfirmProps = {
  offer: Schemas["OfferedTwoFactorSecret"];
  cancel: React.ReactNode;
  onDone: (codes: readonly string[]) => void;
};

function Confirm({ offer: { qrCode, secret }, cancel, onDone }: ConfirmProps) {
  const client = useClient();
  const texts = useTexts(profileTexts);
  const form = useApiForm({
    initialValues: { code: "" },
    save: (body) => client.request("POST /api/profile/2fa/enable", { body }),
    onDone: ({ recoveryCodes }) => onDone(recoveryCodes),
    invalidates: ["GET /api/profile/2fa", "GET /api/profile"],
    fieldOf: { INVALID_TWO_FACTOR_CODE: "code", CONFLICT: "code" },
    sentenceOf: { CONFLICT: texts.expired },
  });
  return (
    <Stack>
      <div>
        <Text fw={600}>{texts.scan}</Text>
        <Text size="sm" c="dimmed">
          {texts.scanAbout}
        </Text>
      </div>
      <img className="qr-code" src={qrCode} alt={texts.qrAlt} />
      <Group gap="xs">
        <Code aria-label={texts.key}>{secret}</Code>
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button size="compact-sm" variant="default" onClick={copy}>
              {copied ? texts.copied : texts.copy}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Form of={form} submit={texts.turnOn} actions={cancel}>
        <TextInput
          label={texts.confirm}
          inputMode="numeric"
          autoComplete="one-time-code"
          {...form.field("code")}
        />
      </Form>
    </Stack>
  );
}

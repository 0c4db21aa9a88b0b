import { Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../client/index.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { profileTexts } from "../texts/profile.ts";
import { Copy } from "../ui/copy.tsx";
import { Form } from "../ui/form.tsx";
import { Hint } from "../ui/hint.tsx";
import { CurrentPassword } from "./current-password.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

type Props = { onDone: () => void; onCancel?: (() => void) | undefined };

/** Sets up the second factor in steps: password, QR code and first code, recovery codes. */
export function TwoFactorSetUp({ onDone, onCancel }: Props) {
  const [offer, setOffer] = useState<Schemas["OfferedTwoFactorSecret"] | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes !== null) return <RecoveryCodes codes={codes} onKept={onDone} />;
  if (offer !== null) return <Confirm offer={offer} onCancel={onCancel} onDone={setCodes} />;
  return <Begin onCancel={onCancel} onDone={setOffer} />;
}

type BeginProps = Pick<Props, "onCancel"> & {
  onDone: (offer: Schemas["OfferedTwoFactorSecret"]) => void;
};

function Begin({ onCancel, onDone }: BeginProps) {
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
    <Form of={form} submit={texts.begin} {...(onCancel && { onCancel })}>
      <CurrentPassword isOptional autoFocus field={form.field("password")} />
    </Form>
  );
}

type ConfirmProps = Pick<Props, "onCancel"> & {
  offer: Schemas["OfferedTwoFactorSecret"];
  onDone: (codes: readonly string[]) => void;
};

function Confirm({ offer: { qrCode, secret }, onCancel, onDone }: ConfirmProps) {
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
        <Hint>{texts.scanAbout}</Hint>
      </div>
      <img className="qr-code" src={qrCode} alt={texts.qrAlt} />
      <Group gap="xs">
        <Code aria-label={texts.key}>{secret}</Code>
        <Copy value={secret} />
      </Group>
      <Form of={form} submit={texts.turnOn} {...(onCancel && { onCancel })}>
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

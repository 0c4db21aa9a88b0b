import { Badge, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery } from "../../client/react.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useAction } from "../lib/action.ts";
import { useApiForm } from "../lib/form.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { passkeyTexts } from "../texts/passkeys.ts";
import { profileTexts } from "../texts/profile.ts";
import { Form } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";
import { Pending } from "../ui/pending.tsx";
import { CurrentPassword, useMayLackPassword } from "./current-password.tsx";
import { PasskeyError } from "./passkey-error.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { TwoFactorSetUp } from "./two-factor-set-up.tsx";

const FEW_CODES = 3;
const INVALIDATES = ["GET /api/profile/2fa", "GET /api/profile"] as const;
type Step = "none" | "set-up" | "codes" | "off";

export function TwoFactorSection() {
  const texts = useTexts(profileTexts);
  const query = useTwoFactor();
  const { data } = query;
  const [step, setStep] = useState<Step>("none");
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const leave = () => setStep("none");
  const badge = data && <Badge variant="default">{data.enabled ? texts.on : texts.off}</Badge>;
  return (
    <Section title={texts.twoFactor} actions={badge}>
      <Pending of={query} height={80} />
      {codes !== null && <RecoveryCodes codes={codes} onKept={() => setCodes(null)} />}
      {data !== undefined && step === "none" && codes === null && (
        <Now state={data} onStep={setStep} onCodes={setCodes} />
      )}
      {step === "set-up" && <TwoFactorSetUp onDone={leave} onCancel={leave} />}
      {step === "codes" && <NewCodes onDone={leave} />}
      {data && step === "off" && <TurnOff methods={data.methods} onDone={leave} />}
    </Section>
  );
}

const OFF: Schemas["TwoFactor"] = { enabled: false, enabledAt: null, methods: [], recoveryCodesLeft: 0 };

/** Returns the query of the second factor. Without a second factor and passkeys, the profile says all, and nothing is requested. */
function useTwoFactor() {
  const { data: profile } = useApiQuery("GET /api/profile", {}, { staleTime: 60_000 });
  const isOff = profile !== undefined && !profile.twoFactorEnabled && profile.passkeyCount === 0;
  const query = useApiQuery("GET /api/profile/2fa", {}, { enabled: profile !== undefined && !isOff });
  return isOff ? { ...query, data: OFF } : query;
}

type NowProps = {
  state: Schemas["TwoFactor"];
  onStep: (step: Step) => void;
  onCodes: (codes: readonly string[]) => void;
};

function Now({ state, onStep, onCodes }: NowProps) {
  const client = useClient();
  const texts = useTexts(profileTexts);
  const passkeys = useTexts(passkeyTexts);
  const { date, number } = useFormat();
  const { enabled, enabledAt, methods, recoveryCodesLeft } = state;
  const turnOn = useAction({
    run: async () =>
      client.request("POST /api/profile/2fa/enable", { body: { passkey: await client.passkeys.prove() } }),
    invalidates: INVALIDATES,
    onDone: ({ recoveryCodes }) => onCodes(recoveryCodes),
  });
  return (
    <Stack gap="sm">
      <Text size="sm">
        {enabled ? texts.onSince(date(enabledAt ?? ""), number(recoveryCodesLeft)) : texts.offAbout}
      </Text>
      <PasskeyError error={turnOn.error} />
      {enabled && recoveryCodesLeft <= FEW_CODES && <Text size="sm">{texts.fewCodes}</Text>}
      <Group justify="flex-end">
        {!enabled && methods.includes("passkey") && client.passkeys.supported() && (
          <Button variant="default" loading={turnOn.isRunning} onClick={() => turnOn.run()}>
            {passkeys.turnOnByPasskey}
          </Button>
        )}
        {!enabled && <Button onClick={() => onStep("set-up")}>{texts.setUp}</Button>}
        {enabled && (
          <>
            <Button variant="default" c="var(--mantine-color-error)" onClick={() => onStep("off")}>
              {texts.turnOff}
            </Button>
            {methods.includes("totp") && (
              <Button variant="default" onClick={() => onStep("codes")}>
                {texts.makeCodes}
              </Button>
            )}
          </>
        )}
      </Group>
    </Stack>
  );
}

function NewCodes({ onDone }: { onDone: () => void }) {
  const client = useClient();
  const texts = useTexts(profileTexts);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const form = useApiForm({
    initialValues: { code: "" },
    save: (body) => client.request("POST /api/profile/2fa/recovery-codes", { body }),
    onDone: ({ recoveryCodes }) => setCodes(recoveryCodes),
    invalidates: ["GET /api/profile/2fa"],
    fieldOf: { INVALID_TWO_FACTOR_CODE: "code" },
  });
  if (codes !== null) return <RecoveryCodes codes={codes} onKept={onDone} />;
  return (
    <Form of={form} submit={texts.makeCodes} onCancel={onDone}>
      <Text size="sm">{texts.newCodesAbout}</Text>
      <TextInput
        label={texts.code}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        {...form.field("code")}
      />
    </Form>
  );
}

function TurnOff({ methods, onDone }: { methods: Schemas["TwoFactor"]["methods"]; onDone: () => void }) {
  const client = useClient();
  const texts = useTexts(profileTexts);
  const passkeys = useTexts(passkeyTexts);
  const mayLackPassword = useMayLackPassword();
  const form = useApiForm({
    initialValues: { password: "", code: "" },
    save: ({ password, code }) =>
      client.request("POST /api/profile/2fa/disable", {
        body: { code, ...(password !== "" && { password }) },
      }),
    onDone,
    invalidates: INVALIDATES,
    fieldOf: { INVALID_CREDENTIALS: "password", INVALID_TWO_FACTOR_CODE: "code", CONFLICT: "code" },
    sentenceOf: { INVALID_CREDENTIALS: texts.wrongPassword, CONFLICT: texts.requiredHere },
  });
  const byPasskey = useAction({
    run: async () =>
      client.request("POST /api/profile/2fa/disable", {
        body: {
          passkey: await client.passkeys.prove(),
          // A security key that is only a second factor needs the password, too.
          ...(form.form.values.password !== "" && { password: form.form.values.password }),
        },
      }),
    invalidates: INVALIDATES,
    onDone,
  });
  return (
    <Form of={form} submit={texts.turnOff} danger onCancel={onDone}>
      <Text size="sm">{texts.turnOffAbout}</Text>
      <CurrentPassword isOptional={mayLackPassword} autoFocus field={form.field("password")} />
      <TextInput label={texts.anyCode} autoComplete="one-time-code" {...form.field("code")} />
      <PasskeyError error={byPasskey.error} />
      {methods.includes("passkey") && client.passkeys.supported() && (
        <Button variant="subtle" loading={byPasskey.isRunning} onClick={() => byPasskey.run()}>
          {passkeys.usePasskey}
        </Button>
      )}
    </Form>
  );
}

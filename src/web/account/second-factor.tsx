import { Button, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { SecondFactorMethod, SignInOutcome } from "../../client/index.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { isUnused } from "../lib/passkeys.ts";
import { signInTexts } from "../texts/sign-in.ts";
import { Form } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";

export type Challenge = Extract<SignInOutcome, { status: "two-factor" }>;
type Props = { challenge: Challenge; onStartOver: () => void };

export function SecondFactor({ challenge: { challengeToken, methods }, onStartOver }: Props) {
  const client = useClient();
  const texts = useTexts(signInTexts);
  const order = (["passkey", "code", "recoveryCode"] as const).filter(
    (method) => methods.includes(method) && (method !== "passkey" || client.passkeys.supported()),
  );
  const [kind, setKind] = useState<SecondFactorMethod>(order[0] ?? "code");
  const [isUnusedPasskey, setUnusedPasskey] = useState(false);
  const form = useApiForm({
    initialValues: { code: "", recoveryCode: "" },
    save: ({ code, recoveryCode }) => {
      setUnusedPasskey(false);
      if (kind === "code") return client.verifyTwoFactor({ challengeToken, code: code.trim() });
      if (kind === "recoveryCode")
        return client.verifyTwoFactor({ challengeToken, recoveryCode: recoveryCode.trim() });
      return client.passkeys.verifyTwoFactor({ challengeToken }).catch((error) => {
        if (!isUnused(error)) throw error;
        setUnusedPasskey(true);
      });
    },
    fieldOf: { INVALID_TWO_FACTOR_CODE: kind },
  });
  const others = {
    passkey: texts.usePasskey,
    code: texts.useCode,
    recoveryCode: texts.useRecoveryCode,
  };
  return (
    <Page title={texts.secondFactor} about={kind === "passkey" ? texts.passkeyAbout : texts.codeAbout}>
      <Form
        of={form}
        submit={kind === "passkey" ? texts.passkeyContinue : texts.signIn}
        wide
        actions={
          <Button variant="default" onClick={onStartOver}>
            {texts.startOver}
          </Button>
        }
      >
        {kind === "code" && (
          <TextInput
            key={kind}
            label={texts.code}
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            {...form.field("code")}
          />
        )}
        {kind === "recoveryCode" && (
          <TextInput
            key={kind}
            label={texts.recoveryCode}
            autoComplete="off"
            autoFocus
            {...form.field("recoveryCode")}
          />
        )}
        {isUnusedPasskey && (
          <Text size="sm" role="alert">
            {texts.passkeyUnused}
          </Text>
        )}
        {order
          .filter((method) => method !== kind)
          .map((method) => (
            <Button
              key={method}
              variant="subtle"
              size="compact-sm"
              onClick={() => {
                setUnusedPasskey(false);
                setKind(method);
              }}
            >
              {others[method]}
            </Button>
          ))}
      </Form>
    </Page>
  );
}

import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { useClient } from "../../client/session-hooks.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { Form } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { signInTexts } from "./sign-in-texts.ts";

type Props = { challengeToken: string; onStartOver: () => void };

/** The second step of a sign-in: asks for a code of the authenticator app, or a recovery code. */
export function SecondFactor({ challengeToken, onStartOver }: Props) {
  const client = useClient();
  const texts = useTexts(signInTexts);
  const [kind, setKind] = useState<"code" | "recoveryCode">("code");
  const form = useApiForm({
    initialValues: { code: "", recoveryCode: "" },
    save: ({ code, recoveryCode }) =>
      client.verifyTwoFactor(
        kind === "code"
          ? { challengeToken, code: code.trim() }
          : { challengeToken, recoveryCode: recoveryCode.trim() },
      ),
    fieldOf: { INVALID_TWO_FACTOR_CODE: kind },
  });
  return (
    <Page title={texts.secondFactor} about={texts.codeAbout}>
      <Form
        of={form}
        submit={texts.signIn}
        wide
        actions={
          <Button variant="default" onClick={onStartOver}>
            {texts.startOver}
          </Button>
        }
      >
        {kind === "code" ? (
          <TextInput
            key={kind}
            label={texts.code}
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            {...form.field("code")}
          />
        ) : (
          <TextInput
            key={kind}
            label={texts.recoveryCode}
            autoComplete="off"
            autoFocus
            {...form.field("recoveryCode")}
          />
        )}
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => setKind(kind === "code" ? "recoveryCode" : "code")}
        >
          {kind === "code" ? texts.useRecoveryCode : texts.useCode}
        </Button>
      </Form>
    </Page>
  );
}

import { Alert, Button, Text, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery } from "../../client/react.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useAction } from "../lib/action.ts";
import { useClaims } from "../lib/claims.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { hearProofs } from "../lib/reauthentication.ts";
import { passkeyTexts } from "../texts/passkeys.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Form, Password } from "../ui/form.tsx";
import { OwnUsername } from "./current-password.tsx";
import { PasskeyError } from "./passkey-error.tsx";

type Props = { readonly onDone: () => void };

export function ProofByPasskey({ onDone }: Props) {
  const client = useClient();
  const texts = useTexts(passkeyTexts);
  const prove = useAction({ run: () => client.passkeys.reauthenticate(), onDone });
  if (!client.passkeys.supported()) return null;
  return (
    <>
      <PasskeyError error={prove.error} />
      <Button data-autofocus loading={prove.isRunning} onClick={() => prove.run()}>
        {texts.usePasskey}
      </Button>
    </>
  );
}

type PasswordProps = Props & {
  readonly hasCode: boolean;
  /** Whether the form is shown at once, because no method comes before it. */
  readonly isFirst: boolean;
};

export function ProofByPassword({ hasCode, isFirst, onDone }: PasswordProps) {
  const client = useClient();
  const texts = useTexts(passkeyTexts);
  const [isOpen, setOpen] = useState(isFirst);
  const [kind, setKind] = useState<"code" | "recoveryCode">("code");
  const prove = (body: Schemas["ReauthenticateBody"]) =>
    client.request("POST /api/profile/reauthenticate", { body });
  const form = useApiForm({
    initialValues: { password: "", code: "", recoveryCode: "" },
    save: ({ password, ...codes }) => prove({ password, ...(hasCode && { [kind]: codes[kind].trim() }) }),
    onDone,
    fieldOf: { INVALID_CREDENTIALS: "password", INVALID_TWO_FACTOR_CODE: kind },
    sentenceOf: { INVALID_CREDENTIALS: texts.wrongPassword },
  });
  // A security key that is only a second factor needs the password, too.
  const byKey = useAction({
    run: async () => prove({ password: form.form.values.password, passkey: await client.passkeys.prove() }),
    onDone,
  });
  if (!isOpen)
    return (
      <Button variant="default" onClick={() => setOpen(true)}>
        {texts.usePassword}
      </Button>
    );
  return (
    <Form of={form} submit={texts.confirm} wide>
      <OwnUsername />
      <Password
        label={texts.password}
        autoComplete="current-password"
        data-autofocus
        autoFocus
        {...form.field("password")}
      />
      {hasCode && (
        <>
          <TextInput
            key={kind}
            label={kind === "code" ? texts.code : texts.recoveryCode}
            autoComplete={kind === "code" ? "one-time-code" : "off"}
            {...(kind === "code" && { inputMode: "numeric" as const })}
            {...form.field(kind)}
          />
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => setKind(kind === "code" ? "recoveryCode" : "code")}
          >
            {kind === "code" ? texts.useRecoveryCode : texts.useCode}
          </Button>
          {client.passkeys.supported() && (
            <Button variant="subtle" size="compact-sm" loading={byKey.isRunning} onClick={() => byKey.run()}>
              {texts.useKey}
            </Button>
          )}
          <PasskeyError error={byKey.error} />
        </>
      )}
    </Form>
  );
}

/**
 * Re-authenticates with a sign-in provider in a separate window, because the request of this page waits for the
 * proof.
 */
export function ProofByProvider({ method, onDone }: Props & { readonly method: string }) {
  const client = useClient();
  const texts = useTexts(passkeyTexts);
  const { organization } = useClaims();
  const [kind, key = ""] = method.split(":");
  const isConnection = kind === "connection";
  // The callback names a connection with its kind, a provider by its key.
  const provider = isConnection ? method : key;
  const { data: providers } = useApiQuery("GET /api/auth/providers", {}, { staleTime: 600_000 });
  const [isBlocked, setBlocked] = useState(false);
  const popup = useRef<Window | null>(null);
  const open = useAction({
    run: () =>
      isConnection
        ? client.sso.reauthenticate(key)
        : client.request("POST /api/profile/reauthenticate/{provider}", { path: { provider } }),
    onDone: ({ url }) => popup.current?.location.replace(url),
  });
  useEffect(() => hearProofs((proven) => proven === provider && onDone()), [provider, onDone]);
  const name = isConnection
    ? (organization?.name ?? "")
    : (providers?.find((one) => one.key === provider)?.name ?? provider);
  function begin() {
    // The window is opened within the click event, because browsers block windows that are opened later.
    popup.current = window.open("about:blank", "reauthentication", "popup,width=520,height=680");
    setBlocked(popup.current === null);
    if (popup.current !== null) open.run();
  }
  return (
    <>
      <ErrorAlert error={open.error} />
      {isBlocked && (
        <Alert color="yellow" role="alert" variant="outline">
          {texts.popupBlocked}
        </Alert>
      )}
      <Text size="sm">{texts.providerAbout(name)}</Text>
      <Button variant="default" loading={open.isRunning} onClick={begin}>
        {texts.provider(name)}
      </Button>
    </>
  );
}

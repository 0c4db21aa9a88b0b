import { Button, Text } from "@mantine/core";
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError } from "../../client/index.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { isUnused } from "../lib/passkeys.ts";
import { signInTexts } from "../texts/sign-in.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";

/** The delay until the browser offers passkeys in the autofill list: the page is loaded completely by then. */
const SETTLED_MS = 1_000;

/**
 * Signs in with a passkey: by a button, and from the list that the browser shows at the field of the email address (conditional
 * UI). Renders nothing without a browser and a service that support it.
 */
export function PasskeySignIn() {
  const client = useClient();
  const texts = useTexts(signInTexts);
  const [isOffered, setOffered] = useState(client.passkeys.supported);
  const [error, setError] = useState<unknown>(null);
  const listening = useRef<AbortController | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  /** Shows an error of the API; a 404 says that passkeys do not sign in here. */
  const report = useCallback((cause: unknown) => {
    if (!(cause instanceof ApiError)) return;
    if (cause.status === 404) setOffered(false);
    else setError(cause);
  }, []);

  const listen = useCallback(() => {
    const abort = new AbortController();
    listening.current = abort;
    client.passkeys.signIn({ conditional: true, signal: abort.signal }).catch((cause) => {
      report(cause);
      // After a rejected passkey, the user can choose another one.
      if (cause instanceof ApiError && cause.status === 401 && !abort.signal.aborted) listen();
    });
  }, [client, report]);

  useEffect(() => {
    if (!client.passkeys.supported()) return;
    // The delay lets the page be shown before the code of the browser's dialogs is loaded.
    timer.current = setTimeout(listen, SETTLED_MS);
    return () => {
      clearTimeout(timer.current);
      listening.current?.abort();
    };
  }, [client, listen]);

  const signIn = useAction({
    run: () => {
      // A conditional request that began later would close the dialog.
      clearTimeout(timer.current);
      setError(null);
      return client.passkeys.signIn().catch((cause) => {
        listen();
        report(cause);
        if (!(cause instanceof ApiError)) throw cause;
      });
    },
  });
  if (!isOffered) return null;
  return (
    <>
      <Button variant="default" fullWidth loading={signIn.isRunning} onClick={() => signIn.run()}>
        {texts.passkeySignIn}
      </Button>
      {isUnused(signIn.error) ? (
        <Text size="sm" role="alert">
          {texts.passkeyUnused}
        </Text>
      ) : (
        <ErrorAlert error={error ?? signIn.error} />
      )}
    </>
  );
}

import { Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import type { ReauthenticationDetails } from "../../client/index.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useClaims } from "../lib/claims.ts";
import { useTexts } from "../lib/i18n.tsx";
import { proofDialog } from "../lib/reauthentication.ts";
import { passkeyTexts } from "../texts/passkeys.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ProofByPasskey, ProofByPassword, ProofByProvider } from "./proof-methods.tsx";

type Props = {
  readonly details: ReauthenticationDetails;
  /**
   * Called when the dialog closes. If the user has proven their identity, the rejected requests are repeated;
   * otherwise they fail.
   */
  readonly resolve: (isProven: boolean) => void;
};

/**
 * The dialog in which the user proves their identity again, by one of the methods of the account. It opens when the
 * API rejects a request because the last proof is too old. The request is repeated afterwards.
 */
export default function Reauthentication({ details, resolve }: Props) {
  // A closed dialog stays mounted, so that it can return the focus to the element that had it before.
  const [settled, setSettled] = useState<Props["resolve"] | null>(null);
  const isOpen = settled !== resolve;
  const client = useClient();
  const { confined: isConfined = false } = useClaims();
  function settle(isProven: boolean) {
    setSettled(() => resolve);
    // The proof lifts a confinement, which the next token says.
    if (isProven && isConfined) void client.refresh().catch(() => {});
    resolve(isProven);
  }
  useEffect(() => {
    proofDialog.close = isOpen ? () => settle(false) : undefined;
    return () => {
      proofDialog.close = undefined;
    };
  });
  const texts = useTexts(passkeyTexts);
  return (
    <Dialog isOpen={isOpen} onClose={() => settle(false)} title={texts.confirmTitle} zIndex={300}>
      {isOpen && <Methods methods={details.methods} onDone={() => settle(true)} />}
    </Dialog>
  );
}

function Methods({ methods, onDone }: { methods: readonly string[]; onDone: () => void }) {
  const texts = useTexts(passkeyTexts);
  const providers = methods.filter((method) => /^(provider|connection):/.test(method));
  return (
    <Stack>
      <Text size="sm">{texts.confirmAbout}</Text>
      {methods.includes("passkey") && <ProofByPasskey onDone={onDone} />}
      {methods.includes("password") && (
        <ProofByPassword
          hasCode={methods.includes("code")}
          isFirst={!methods.includes("passkey")}
          onDone={onDone}
        />
      )}
      {providers.map((method) => (
        <ProofByProvider key={method} method={method} onDone={onDone} />
      ))}
      {methods.includes("reset-mail") && <Text size="sm">{texts.resetMail}</Text>}
    </Stack>
  );
}

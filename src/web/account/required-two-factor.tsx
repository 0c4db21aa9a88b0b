import { Button } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useClient, useSession } from "../../client/session-hooks.ts";
import { useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { passkeyTexts } from "../texts/passkeys.ts";
import { profileTexts } from "../texts/profile.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Page } from "../ui/page.tsx";
import { PasskeyError } from "./passkey-error.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { RedirectTo } from "./redirect-to.tsx";
import { TwoFactorSetUp } from "./two-factor-set-up.tsx";

/** The page for sessions that must set up a second factor first. Continues to the requested page afterwards. */
export function RequiredTwoFactor() {
  const { next = "/" } = useSearch({ from: "/public/two-factor" });
  const client = useClient();
  const session = useSession();
  const texts = useTexts(profileTexts);
  // The recovery codes stay visible until the user has confirmed that they are saved. Then the session is
  // refreshed.
  const [isKept, setKept] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const passkeys = useTexts(passkeyTexts);
  const add = useAction({
    run: () => client.passkeys.register(),
    onDone: ({ recoveryCodes }) => (recoveryCodes === null ? keep() : setCodes(recoveryCodes)),
  });
  const renew = useAction({ run: client.refresh });
  const signOut = useAction({ run: client.signOut });
  function keep() {
    setKept(true);
    renew.run();
  }
  if (session.status === "loading") return null;
  if (session.status === "signed-out") return <RedirectTo to="/sign-in" />;
  if (!session.mustEnableTwoFactor) return <RedirectTo to={next} />;
  return (
    <Page title={texts.setUpFirst} about={texts.setUpFirstAbout}>
      {!isKept && codes !== null && <RecoveryCodes codes={codes} onKept={keep} />}
      {!isKept && codes === null && (
        <>
          <TwoFactorSetUp onDone={keep} />
          <PasskeyError error={add.error} />
          {client.passkeys.supported() && (
            <Button variant="default" loading={add.isRunning} onClick={() => add.run()}>
              {passkeys.add}
            </Button>
          )}
        </>
      )}
      <ErrorAlert error={renew.error ?? signOut.error} onRetry={() => renew.run()} />
      <Button variant="subtle" loading={signOut.isRunning} onClick={() => signOut.run()}>
        {texts.signOut}
      </Button>
    </Page>
  );
}

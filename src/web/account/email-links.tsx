import { Button } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../client/index.ts";
import { useClient, useSession } from "../../client/session-hooks.ts";
import { useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { currentHref, currentSearch } from "../lib/location.ts";
import { accountTexts } from "../texts/account.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Page } from "../ui/page.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { tokenOf } from "./search.ts";

/*
 * The pages that mails about a change of email link to. Each page acts only after a click, because mail scanners
 * open links and run their scripts.
 */

type Texts = { title: string; about: string; act: string };

function LinkPage({ texts, run }: { texts: Texts; run: () => Promise<string> }) {
  const common = useTexts(accountTexts);
  const [done, setDone] = useState<string | null>(null);
  const { run: act, error, isRunning } = useAction({ run, onDone: setDone });
  const next = currentHref();
  const isDead = error instanceof ApiError && error.status === 400;
  const needsSession = error instanceof ApiError && error.status === 401;
  if (isDead || done !== null)
    return (
      <Page key="end" title={isDead ? common.dead : (done ?? "")}>
        <PageLink to="/sign-in">{common.toSignIn}</PageLink>
      </Page>
    );
  return (
    <Page key="ask" title={texts.title} about={needsSession ? common.emailNeedsSession : texts.about}>
      {needsSession ? (
        <PageLink to="/sign-in" search={{ next }}>
          {common.toSignIn}
        </PageLink>
      ) : (
        <>
          <ErrorAlert error={error} />
          <Button loading={isRunning} onClick={() => act()}>
            {texts.act}
          </Button>
        </>
      )}
    </Page>
  );
}

export function ConfirmEmailChange() {
  const { token } = tokenOf(currentSearch());
  const client = useClient();
  const session = useSession();
  const texts = useTexts(accountTexts);
  return (
    <LinkPage
      texts={{ title: texts.emailConfirmTitle, about: texts.emailConfirmAbout, act: texts.emailConfirm }}
      run={async () => {
        const { waitingFor } = await client.request("POST /api/auth/confirm-email-change", {
          body: { token },
        });
        if (waitingFor !== null) return texts.emailWaits;
        // Password managers show the email next to the passkeys.
        if (session.status === "signed-in") void client.passkeys.announce();
        return texts.emailChanged;
      }}
    />
  );
}

export function CancelEmailChange() {
  const { token } = tokenOf(currentSearch());
  const client = useClient();
  const texts = useTexts(accountTexts);
  return (
    <LinkPage
      texts={{ title: texts.emailCancelTitle, about: texts.emailCancelAbout, act: texts.emailCancel }}
      run={async () => {
        await client.request("POST /api/auth/cancel-email-change", { body: { token } });
        return texts.emailCanceled;
      }}
    />
  );
}

export function UndoEmailChange() {
  const { token } = tokenOf(currentSearch());
  const client = useClient();
  const texts = useTexts(accountTexts);
  return (
    <LinkPage
      texts={{ title: texts.emailUndoTitle, about: texts.emailUndoAbout, act: texts.emailUndo }}
      run={async () => {
        await client.request("POST /api/auth/undo-email-change", { body: { token } });
        return texts.emailUndone;
      }}
    />
  );
}

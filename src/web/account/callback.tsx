import { Loader } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { CallbackOutcome } from "../../client/index.ts";
import { useClient, useSession } from "../../client/session-hooks.ts";
import { useTexts } from "../lib/i18n.tsx";
import { tellProof } from "../lib/reauthentication.ts";
import { pageOfTest } from "../lib/test-page.ts";
import { accountTexts } from "../texts/account.ts";
import { callbackTexts } from "../texts/callback.ts";
import { Page } from "../ui/page.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { RedirectTo } from "./redirect-to.tsx";
import { destinationOf, takeNext } from "./search.ts";
import { SecondFactor } from "./second-factor.tsx";

/** The page to which the API redirects after third-party sign-in or linking. The result is in the URL fragment. */
export function Callback() {
  const client = useClient();
  const session = useSession();
  const texts = useTexts(accountTexts);
  const [outcome, setOutcome] = useState<CallbackOutcome | "none" | null>(null);
  const [next, setNext] = useState("/");
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    setNext(takeNext());
    setOutcome(readOutcome());
    /** A malformed token is treated like a missing one. */
    function readOutcome() {
      try {
        return client.completeSignIn() ?? "none";
      } catch {
        return "none";
      }
    }
  }, [client]);

  const isOver = outcome !== null && outcome !== "none";
  if (isOver && outcome.status === "reauthenticated") return <Proven provider={outcome.provider} />;
  if (isOver && outcome.status === "tested") return <Tested testId={outcome.testId} />;
  if (isOver && outcome.status === "linked") return <RedirectTo to="/profile/security" />;
  if (isOver && outcome.status === "error") return <Failed code={outcome.code} next={next} />;
  if (session.status === "signed-in" && outcome !== null)
    return <RedirectTo to={destinationOf(session, next)} />;
  if (isOver && outcome.status === "two-factor")
    return <SecondFactor challenge={outcome} onStartOver={() => setOutcome("none")} />;
  if (session.status === "signed-out" && outcome !== null) return <RedirectTo to="/sign-in" />;
  return (
    <Page title={texts.callback}>
      <Loader aria-label={texts.oneMoment} />
    </Page>
  );
}

function Proven({ provider }: { provider: string }) {
  const texts = useTexts(accountTexts);
  useEffect(() => {
    tellProof(provider);
    window.close();
  }, [provider]);
  return <Page key="proven" title={texts.proven} />;
}

function Tested({ testId }: { testId: string }) {
  const [page] = useState(() => pageOfTest(testId));
  return <RedirectTo to={page} />;
}

function Failed({ code, next }: { code: string; next: string }) {
  const texts = useTexts(accountTexts);
  const reasons: Partial<Record<string, string>> = useTexts(callbackTexts);
  const session = useSession();
  return (
    <Page key="failed" title={texts.notSignedIn} about={reasons[code] ?? reasons.UNKNOWN}>
      {session.status === "signed-in" ? (
        <PageLink to="/profile/security">{texts.back}</PageLink>
      ) : (
        <PageLink to="/sign-in" search={{ next }}>
          {texts.toSignIn}
        </PageLink>
      )}
    </Page>
  );
}

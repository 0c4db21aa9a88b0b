import { Alert, Text } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useSession } from "../../client/session-hooks.ts";
import { useTexts } from "../lib/i18n.tsx";
import { currentSearch } from "../lib/location.ts";
import { takeNotice } from "../lib/notice.ts";
import { mayRegister, useSettings } from "../lib/settings.ts";
import { signInTexts } from "../texts/sign-in.ts";
import { Page } from "../ui/page.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { Credentials } from "./credentials.tsx";
import { PasskeySignIn } from "./passkey-sign-in.tsx";
import { ProviderButtons } from "./provider-buttons.tsx";
import { RedirectTo } from "./redirect-to.tsx";
import { destinationOf, nextOf, takeAddress } from "./search.ts";
import { type Challenge, SecondFactor } from "./second-factor.tsx";

/** The sign-in page. Asks for the second factor if the account has one, then opens the requested page. */
export function SignIn() {
  const session = useSession();
  const { next = "/" } = nextOf(currentSearch());
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const [notice] = useState(takeNotice);
  // After the link of a mail, the address to which it was sent is filled in.
  const [email] = useState(() => (notice === "verified" || notice === "reset" ? takeAddress() : ""));
  const texts = useTexts(signInTexts);
  const isSignedIn = session.status === "signed-in";
  if (challenge !== null && !isSignedIn)
    return <SecondFactor challenge={challenge} onStartOver={() => setChallenge(null)} />;
  return (
    <Page title={texts.signIn}>
      {/* The sign-in card stays visible until the next page is loaded. */}
      {isSignedIn && <RedirectTo to={destinationOf(session, next)} />}
      {notice !== null && (
        <Alert
          color={notice === "ended" || notice === "suspended" ? "yellow" : "green"}
          role="status"
          variant="outline"
        >
          {texts[notice]}
        </Alert>
      )}
      <Credentials email={email} next={next} onChallenge={setChallenge} isLeaving={isSignedIn} />
      {!isSignedIn && <PasskeySignIn />}
      <ProviderButtons next={next} />
      <NewHere />
      {DemoAccounts !== null && (
        <Suspense>
          <DemoAccounts onChallenge={setChallenge} />
        </Suspense>
      )}
    </Page>
  );
}

function NewHere() {
  const texts = useTexts(signInTexts);
  const { data: settings } = useSettings();
  if (settings?.registration === "invited") return <Text size="sm">{texts.needsInvitation}</Text>;
  if (settings === undefined || !mayRegister(settings)) return null;
  return (
    <Text size="sm">
      {texts.noAccount} <PageLink to="/register">{texts.register}</PageLink>
    </Text>
  );
}

// Loads the list of demo accounts; production builds do not contain it.
const DemoAccounts = DEMO_ACCOUNTS !== "" ? lazy(() => import("./demo-accounts.tsx")) : null;

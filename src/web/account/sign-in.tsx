import { Alert, Stack, Text, TextInput } from "@mantine/core";
import { lazy, Suspense, useContext, useState } from "react";
import { ApiError } from "../../client/index.ts";
import { useClient, useSession } from "../../client/session-hooks.ts";
import { ConsolePreload } from "../lib/console-preload.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { currentSearch } from "../lib/location.ts";
import { takeNotice } from "../lib/notice.ts";
import { Form, Password } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { takeAddress } from "./kept-address.ts";
import { PasskeySignIn } from "./passkey-sign-in.tsx";
import { ProviderButtons } from "./provider-buttons.tsx";
import { RedirectTo } from "./redirect-to.tsx";
import { ResendVerification } from "./resend-verification.tsx";
import { destinationOf, nextOf } from "./search.ts";
import { type Challenge, SecondFactor } from "./second-factor.tsx";
import { signInTexts } from "./sign-in-texts.ts";

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
      <Credentials email={email} onChallenge={setChallenge} isLeaving={isSignedIn} />
      {!isSignedIn && <PasskeySignIn />}
      <ProviderButtons next={next} />
      <Text size="sm">
        {texts.noAccount} <PageLink to="/register">{texts.register}</PageLink>
      </Text>
      {DemoAccounts !== null && (
        <Suspense>
          <DemoAccounts onChallenge={setChallenge} />
        </Suspense>
      )}
    </Page>
  );
}

// Loads the list of demo accounts; production builds do not contain it.
const DemoAccounts = DEMO_ACCOUNTS !== "" ? lazy(() => import("./demo-accounts.tsx")) : null;

function Credentials({
  email,
  onChallenge,
  isLeaving,
}: {
  email: string;
  onChallenge: (challenge: Challenge) => void;
  isLeaving: boolean;
}) {
  const client = useClient();
  const texts = useTexts(signInTexts);
  const preloadConsole = useContext(ConsolePreload);
  const [unverified, setUnverified] = useState<string | null>(null);
  const form = useApiForm({
    initialValues: { email, password: "" },
    save: (credentials) => {
      setUnverified(null);
      return client.signIn(credentials).catch((error) => {
        if (error instanceof ApiError && error.code === "EMAIL_NOT_VERIFIED")
          setUnverified(credentials.email);
        throw error;
      });
    },
    onDone: (outcome) => outcome.status === "two-factor" && onChallenge(outcome),
  });
  return (
    <Stack gap="lg">
      <Form of={{ ...form, isSaving: form.isSaving || isLeaving }} submit={texts.signIn} wide>
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username webauthn"
          autoFocus={email === ""}
          {...form.field("email")}
        />
        <div className="with-link">
          <Password
            label={texts.password}
            autoComplete="current-password"
            autoFocus={email !== ""}
            {...form.field("password")}
            // The frame of the pages after sign-in is loaded while the password is typed.
            onFocus={preloadConsole}
          />
          <PageLink to="/forgot-password">{texts.forgot}</PageLink>
        </div>
      </Form>
      {unverified !== null && <ResendVerification email={unverified} />}
    </Stack>
  );
}

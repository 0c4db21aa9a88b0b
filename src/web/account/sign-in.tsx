import { TextInput } from "@mantine/core";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useClient, useSession } from "../../client/react.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { Form, Password } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { accountTexts } from "./texts.ts";

/** Signs in by password, then asks for the second factor where there is one; then goes to where the visitor was going. */
export function SignIn() {
  const session = useSession();
  const [challengeToken, setChallengeToken] = useState<string | null>(null);
  if (session.status === "signed-in") return <Onward />;
  if (challengeToken !== null)
    return <SecondFactor challengeToken={challengeToken} onStartOver={() => setChallengeToken(null)} />;
  return <Credentials onChallenge={setChallengeToken} />;
}

function Onward() {
  const { next = "/" } = useSearch({ from: "/outside/sign-in" });
  const { history } = useRouter();
  useEffect(() => history.replace(next), [next, history]);
  return null;
}

function Credentials({ onChallenge }: { onChallenge: (challengeToken: string) => void }) {
  const client = useClient();
  const texts = useTexts(accountTexts);
  const form = useApiForm({
    initialValues: { email: "", password: "" },
    save: client.signIn,
    onDone: (outcome) => outcome.status === "two-factor" && onChallenge(outcome.challengeToken),
  });
  return (
    <Page title={texts.signIn}>
      <Form of={form} submit={texts.signIn}>
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          autoFocus
          {...form.field("email")}
        />
        <Password label={texts.password} autoComplete="current-password" {...form.field("password")} />
      </Form>
    </Page>
  );
}

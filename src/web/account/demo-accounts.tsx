import { Stack, Text, UnstyledButton } from "@mantine/core";
import { useClient } from "../../client/session-hooks.ts";
import { useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { signInTexts } from "../texts/sign-in.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Hint } from "../ui/hint.tsx";
import type { Challenge } from "./second-factor.tsx";

type Demo = {
  readonly password: string;
  readonly accounts: readonly { readonly email: string; readonly about: string }[];
};
const demo = JSON.parse(DEMO_ACCOUNTS || '{"accounts":[]}') as Demo;

/** The demo accounts of `bun run dev`, each with a button to sign in. Production builds do not contain them. */
export default function DemoAccounts({ onChallenge }: { onChallenge: (challenge: Challenge) => void }) {
  const texts = useTexts(signInTexts);
  const client = useClient();
  const signIn = useAction({
    run: (email: string) => client.signIn({ email, password: demo.password }),
    onDone: (outcome) => outcome.status === "two-factor" && onChallenge(outcome),
  });
  return (
    <section className="demo-accounts" aria-label={texts.demo}>
      <Text fw={600} size="sm">
        {texts.demo}
      </Text>
      <Hint size="xs" mb="xs">
        {texts.demoAbout}
      </Hint>
      <ErrorAlert error={signIn.error} />
      <Stack gap={2}>
        {demo.accounts.map(({ email, about }) => (
          <UnstyledButton key={email} className="demo-account" onClick={() => signIn.run(email)}>
            <Text size="sm">{email}</Text>
            <Text size="xs" c="dimmed" lang="en">
              {about}
            </Text>
          </UnstyledButton>
        ))}
      </Stack>
    </section>
  );
}

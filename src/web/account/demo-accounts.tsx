import { Stack, Text, UnstyledButton } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { accountTexts } from "./texts.ts";

type Demo = {
  readonly password: string;
  readonly accounts: readonly { readonly email: string; readonly about: string }[];
};
const demo = JSON.parse(DEMO_ACCOUNTS || '{"accounts":[]}') as Demo;

/** The accounts of `bun run dev`, to sign in with; no build but that of development has them. */
export default function DemoAccounts({ onChoose }: { onChoose: (email: string, password: string) => void }) {
  const texts = useTexts(accountTexts);
  return (
    <section className="demo-accounts" aria-label={texts.demo}>
      <Text fw={600} size="sm">
        {texts.demo}
      </Text>
      <Text size="xs" c="dimmed" mb="xs">
        {texts.demoAbout}
      </Text>
      <Stack gap={2}>
        {demo.accounts.map(({ email, about }) => (
          <UnstyledButton key={email} className="demo-account" onClick={() => onChoose(email, demo.password)}>
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

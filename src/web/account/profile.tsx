import { Group, Radio, Text, TextInput } from "@mantine/core";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery } from "../../client/react.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useApiForm } from "../lib/form.ts";
import { useFormat } from "../lib/format.ts";
import { LANGUAGES, useTexts } from "../lib/i18n.tsx";
import { profileTexts } from "../texts/profile.ts";
import { Form } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";
import { Pending } from "../ui/pending.tsx";
import { AccountPage } from "./account-page.tsx";
import { Done } from "./done.tsx";
import { EmailSection } from "./email-section.tsx";

export function Profile() {
  const texts = useTexts(profileTexts);
  const { date } = useFormat();
  const query = useApiQuery("GET /api/profile");
  const { data: profile } = query;
  return (
    <AccountPage title={texts.profile} about={profile && texts.since(date(profile.createdAt))}>
      <Pending of={query} height={280} />
      {profile !== undefined && <Names key={profile.id} profile={profile} />}
      <EmailSection />
    </AccountPage>
  );
}

function Names({ profile }: { profile: Schemas["User"] }) {
  const client = useClient();
  const texts = useTexts(profileTexts);
  const { firstName, lastName, language } = profile;
  const form = useApiForm({
    initialValues: { firstName, lastName, language },
    // A confined session may change the language, and not the names.
    save: (_values, _key, body) => client.request("PATCH /api/profile", { body }),
    invalidates: ["GET /api/profile"],
    // Password managers show the user's name next to the passkeys.
    onDone: () => void (profile.passkeyCount > 0 && client.passkeys.announce()),
  });
  return (
    <Section title={texts.names}>
      <Form of={form}>
        <div className="form-row">
          <TextInput label={texts.firstName} autoComplete="given-name" {...form.field("firstName")} />
          <TextInput label={texts.lastName} autoComplete="family-name" {...form.field("lastName")} />
        </div>
        <Radio.Group label={texts.language} description={texts.languageHint} {...form.field("language")}>
          <Group mt="xs">
            {(["en", "el"] as const).map((key) => (
              <Radio
                key={key}
                value={key}
                label={
                  <Text span size="sm" lang={key}>
                    {LANGUAGES[key]}
                  </Text>
                }
              />
            ))}
          </Group>
        </Radio.Group>
        <Done show={form.isSaved}>{texts.saved}</Done>
      </Form>
    </Section>
  );
}

import { Loader, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useClient } from "../../client/session-hooks.ts";
import { useApiForm } from "../lib/form.ts";
import { useLanguage, useTexts } from "../lib/i18n.tsx";
import { mayRegister, useSettings } from "../lib/settings.ts";
import { accountTexts } from "../texts/account.ts";
import { Form, Password } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { ProviderButtons } from "./provider-buttons.tsx";
import { ResendVerification } from "./resend-verification.tsx";
import { useBotCheck } from "./use-bot-check.tsx";

/** The registration page, if people may register. Afterwards it asks the user to open the verification mail. */
export function Register() {
  const [email, setEmail] = useState<string | null>(null);
  const texts = useTexts(accountTexts);
  const { data: settings, error } = useSettings();
  if (settings !== undefined && !mayRegister(settings))
    return (
      <Page
        key="closed"
        title={texts.registrationClosed}
        about={settings.registration === "invited" ? texts.needsInvitation : undefined}
      >
        <PageLink to="/sign-in">{texts.toSignIn}</PageLink>
      </Page>
    );
  // Without settings the form is shown: the API judges.
  if (settings === undefined && error === null)
    return (
      <Page key="form" title={texts.register}>
        <Loader aria-label={texts.oneMoment} />
      </Page>
    );
  if (email === null)
    return <NewAccount onDone={setEmail} mayFound={settings?.organizationCreation !== "platform-admins"} />;
  return (
    <Page key="sent" title={texts.mailSent} about={texts.mailSentAbout(email)}>
      <ResendVerification email={email} />
      <PageLink to="/sign-in">{texts.toSignIn}</PageLink>
    </Page>
  );
}

function NewAccount({ onDone, mayFound }: { onDone: (email: string) => void; mayFound: boolean }) {
  const client = useClient();
  const texts = useTexts(accountTexts);
  const { language } = useLanguage();
  const botCheck = useBotCheck();
  const form = useApiForm({
    initialValues: { email: "", password: "", firstName: "", lastName: "", organizationName: "" },
    save: ({ organizationName, ...account }) =>
      client
        .request("POST /api/auth/register", {
          body: {
            ...{ ...account, language, ...botCheck.body },
            ...(organizationName.trim() !== "" && { organizationName }),
          },
        })
        .finally(botCheck.reset),
    onDone: ({ email }) => onDone(email),
    fieldOf: { EMAIL_TAKEN: "email" },
  });
  return (
    <Page key="form" title={texts.register}>
      <Form of={form} submit={texts.register} wide>
        <TextInput label={texts.firstName} autoComplete="given-name" autoFocus {...form.field("firstName")} />
        <TextInput label={texts.lastName} autoComplete="family-name" {...form.field("lastName")} />
        <TextInput label={texts.email} type="email" autoComplete="username" {...form.field("email")} />
        <Password
          label={texts.password}
          description={texts.passwordHint}
          autoComplete="new-password"
          {...form.field("password")}
        />
        {mayFound && (
          <TextInput
            label={texts.organization}
            description={texts.organizationHint}
            autoComplete="organization"
            {...form.field("organizationName")}
          />
        )}
        {botCheck.field}
      </Form>
      <ProviderButtons />
      <Text size="sm">
        {texts.haveAccount} <PageLink to="/sign-in">{texts.signIn}</PageLink>
      </Text>
    </Page>
  );
}

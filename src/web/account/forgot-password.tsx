import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useClient } from "../../client/session-hooks.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { accountTexts } from "../texts/account.ts";
import { Form } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { keepAddress } from "./search.ts";
import { useBotCheck } from "./use-bot-check.tsx";

export function ForgotPassword() {
  const client = useClient();
  const texts = useTexts(accountTexts);
  const [sent, setSent] = useState<string | null>(null);
  const botCheck = useBotCheck();
  const form = useApiForm({
    initialValues: { email: "" },
    save: ({ email }) =>
      client
        .request("POST /api/auth/forgot-password", { body: { email, ...botCheck.body } })
        .finally(botCheck.reset)
        .then(() => {
          keepAddress(email);
          setSent(email);
        }),
  });
  if (sent !== null)
    return (
      <Page key="sent" title={texts.mailSent} about={texts.forgotSent(sent)}>
        <PageLink to="/sign-in">{texts.toSignIn}</PageLink>
      </Page>
    );
  return (
    <Page key="form" title={texts.forgotTitle} about={texts.forgotAbout}>
      <Form of={form} submit={texts.sendLink} wide>
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          autoFocus
          {...form.field("email")}
        />
        {botCheck.field}
      </Form>
      <PageLink to="/sign-in">{texts.toSignIn}</PageLink>
    </Page>
  );
}

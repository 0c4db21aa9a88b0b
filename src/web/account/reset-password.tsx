import { useState } from "react";
import { ApiError } from "../../client/index.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { currentSearch, openPage } from "../lib/location.ts";
import { announce } from "../lib/notice.ts";
import { accountTexts } from "../texts/account.ts";
import { Form, Password } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { tokenOf } from "./search.ts";
import { Username } from "./username.tsx";

/** The page that password reset mails link to. After choosing a new password, the user is sent to the sign-in page. */
export function ResetPassword() {
  const { token } = tokenOf(currentSearch());
  const client = useClient();
  const texts = useTexts(accountTexts);
  const [isDead, setDead] = useState(token === "");
  const form = useApiForm({
    initialValues: { newPassword: "" },
    save: ({ newPassword }) =>
      client.request("POST /api/auth/reset-password", { body: { token, newPassword } }).catch((error) => {
        if (error instanceof ApiError && error.code === "INVALID_OR_EXPIRED_TOKEN") setDead(true);
        throw error;
      }),
    async onDone() {
      announce("reset");
      // The password reset has ended the session of this browser, if there was one.
      if (client.session.get().status === "signed-in") await client.refresh().catch(() => {});
      openPage("/sign-in", { replace: true });
    },
  });
  if (isDead)
    return (
      <Page key="dead" title={texts.dead} about={texts.deadReset}>
        <PageLink to="/forgot-password">{texts.anotherLink}</PageLink>
      </Page>
    );
  return (
    <Page key="form" title={texts.forgotTitle} about={texts.resetAbout}>
      <Form of={form} submit={texts.save} wide>
        <Username email="" />
        <Password
          label={texts.newPassword}
          description={texts.passwordHint}
          autoComplete="new-password"
          autoFocus
          {...form.field("newPassword")}
        />
      </Form>
    </Page>
  );
}

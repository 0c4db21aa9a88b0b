import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../client/index.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useAction } from "../lib/action.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { currentSearch, openPage } from "../lib/location.ts";
import { announce } from "../lib/notice.ts";
import { accountTexts } from "../texts/account.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Form } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { ResendVerification } from "./resend-verification.tsx";
import { tokenOf } from "./search.ts";

/**
 * The page that verification mails link to. A button verifies the email, and then the user is sent to the sign-in
 * page. Loading the page verifies nothing: mail scanners open links and run their scripts, also for an account that a
 * stranger registered.
 */
export function VerifyEmail() {
  const { token } = tokenOf(currentSearch());
  const client = useClient();
  const texts = useTexts(accountTexts);
  const { run, error, isRunning } = useAction({
    run: () => client.request("POST /api/auth/verify-email", { body: { token } }),
    onDone() {
      announce("verified");
      openPage("/sign-in", { replace: true });
    },
  });
  if (error instanceof ApiError && error.status === 400) return <DeadLink />;
  return (
    <Page key="confirm" title={texts.confirmTitle} about={texts.confirmAbout}>
      <ErrorAlert error={error} />
      <Button loading={isRunning} onClick={() => run()}>
        {texts.confirm}
      </Button>
    </Page>
  );
}

function DeadLink() {
  const texts = useTexts(accountTexts);
  const client = useClient();
  const [sent, setSent] = useState<string | null>(null);
  const form = useApiForm({
    initialValues: { email: "" },
    save: (body) =>
      client.request("POST /api/auth/resend-verification", { body }).then(() => setSent(body.email)),
  });
  return (
    <Page
      key="dead"
      title={sent === null ? texts.dead : texts.mailSent}
      about={sent === null ? texts.deadVerify : texts.sentAgain}
    >
      {sent === null ? (
        <Form of={form} submit={texts.sendAgain} wide>
          <TextInput label={texts.email} type="email" autoComplete="username" {...form.field("email")} />
        </Form>
      ) : (
        <ResendVerification email={sent} />
      )}
      <PageLink to="/sign-in">{texts.toSignIn}</PageLink>
    </Page>
  );
}

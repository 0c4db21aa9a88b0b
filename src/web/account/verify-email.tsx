import { Loader, TextInput } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { announce } from "../lib/notice.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Form } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { PageLink } from "./page-link.tsx";
import { ResendVerification } from "./resend-verification.tsx";
import { accountTexts } from "./texts.ts";

/** Where the mail after registration leads: confirms the address, then leads to sign in. */
export function VerifyEmail() {
  const { token } = useSearch({ from: "/outside/verify-email" });
  const client = useClient();
  const navigate = useNavigate();
  const texts = useTexts(accountTexts);
  const { run, error } = useAction({
    run: () => client.request("POST /api/auth/verify-email", { body: { token } }),
    onDone() {
      announce("verified");
      void navigate({ to: "/sign-in", replace: true });
    },
  });
  const begun = useRef(false);
  useEffect(() => {
    // The link works once.
    if (!begun.current) run();
    begun.current = true;
  }, [run]);
  if (error instanceof ApiError && error.status === 400) return <DeadLink />;
  return (
    <Page key="confirming" title={texts.confirming}>
      {error === null ? <Loader aria-label={texts.oneMoment} /> : <ErrorAlert error={error} onRetry={run} />}
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

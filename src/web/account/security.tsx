import { useClient } from "../../client/session-hooks.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { profileTexts } from "../texts/profile.ts";
import { Form, Password } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";
import { AccountPage } from "./account-page.tsx";
import { OwnUsername } from "./current-password.tsx";
import { Done } from "./done.tsx";
import { Passkeys } from "./passkeys.tsx";
import { SignInMethods } from "./sign-in-methods.tsx";
import { TwoFactorSection } from "./two-factor-section.tsx";

export function Security() {
  const texts = useTexts(profileTexts);
  return (
    <AccountPage title={texts.security}>
      <PasswordSection />
      <Passkeys />
      <TwoFactorSection />
      <SignInMethods />
    </AccountPage>
  );
}

function PasswordSection() {
  const client = useClient();
  const texts = useTexts(profileTexts);
  const form = useApiForm({
    initialValues: { currentPassword: "", newPassword: "" },
    save: (body) => client.request("POST /api/profile/password", { body }),
    onDone: () => form.form.reset(),
    invalidates: ["GET /api/profile/sessions", "GET /api/profile/2fa"],
    fieldOf: { INVALID_CREDENTIALS: "currentPassword", CONFLICT: "currentPassword" },
    sentenceOf: { INVALID_CREDENTIALS: texts.wrongPassword, CONFLICT: texts.noPassword },
  });
  return (
    <Section title={texts.password}>
      <Form of={form} submit={texts.changePassword}>
        <OwnUsername />
        <div className="form-row">
          <Password
            label={texts.currentPassword}
            autoComplete="current-password"
            {...form.field("currentPassword")}
          />
          <Password
            label={texts.newPassword}
            autoComplete="new-password"
            description={texts.passwordHint}
            inputWrapperOrder={["label", "input", "description", "error"]}
            {...form.field("newPassword")}
          />
        </div>
        <Done show={form.isSaved}>{texts.passwordChanged}</Done>
      </Form>
    </Section>
  );
}

import { useTexts } from "../lib/i18n.tsx";
import { AccountPage } from "./account-page.tsx";
import { Passkeys } from "./passkeys.tsx";
import { PasswordSection } from "./password-section.tsx";
import { profileTexts } from "./profile-texts.ts";
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

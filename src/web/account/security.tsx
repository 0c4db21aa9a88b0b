import { useApiQuery } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { AccountPage } from "./account-page.tsx";
import { PasswordSection } from "./password-section.tsx";
import { profileTexts } from "./profile-texts.ts";
import { SignInMethods } from "./sign-in-methods.tsx";
import { TwoFactorSection } from "./two-factor-section.tsx";

/** How one signs in: password, second factor, other services. */
export function Security() {
  const texts = useTexts(profileTexts);
  // Loaded by what is below as well.
  useApiQuery("GET /api/profile/identities");
  return (
    <AccountPage title={texts.security}>
      <PasswordSection />
      <TwoFactorSection />
      <SignInMethods />
    </AccountPage>
  );
}

/** Whether the account may be without a password, which only those with another way to sign in are. */
export function useMayLackPassword(isEnabled = true): boolean {
  const { data } = useApiQuery("GET /api/profile/identities", {}, { enabled: isEnabled });
  return (data ?? []).length > 0;
}

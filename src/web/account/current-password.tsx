import { useApiQuery } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { profileTexts } from "../texts/profile.ts";
import { Password } from "../ui/form.tsx";
import { Username } from "./username.tsx";

type Props = {
  readonly isOptional: boolean;
  readonly autoFocus?: boolean;
  /** The props that the form's `field` returns. */
  readonly field: object;
};

export function CurrentPassword({ isOptional, autoFocus = false, field }: Props) {
  const texts = useTexts(profileTexts);
  return (
    <>
      <OwnUsername />
      <Password
        label={texts.password}
        autoComplete="current-password"
        autoFocus={autoFocus}
        {...(isOptional && { description: texts.optionalPassword })}
        {...field}
      />
    </>
  );
}

/** Like `Username`, with the email of the signed-in user. */
export function OwnUsername() {
  const { data: profile } = useApiQuery("GET /api/profile", {}, { staleTime: 60_000 });
  return <Username email={profile?.email ?? ""} />;
}

/** Returns whether the account may have no password. That is possible for accounts with third-party sign-in. */
export function useMayLackPassword(): boolean {
  const { data } = useApiQuery("GET /api/profile/identities");
  return (data ?? []).length > 0;
}

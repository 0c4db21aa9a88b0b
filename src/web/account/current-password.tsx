import { useTexts } from "../lib/i18n.tsx";
import { Password } from "../ui/form.tsx";
import { OwnUsername } from "./own-username.tsx";
import { profileTexts } from "./profile-texts.ts";

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

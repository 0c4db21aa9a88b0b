import { NativeSelect, Stack, TextInput } from "@mantine/core";
import type { ChangeEvent } from "react";
import type { ApiForm } from "../../lib/form.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { connectionTexts } from "../../texts/sign-on-connections.ts";
import { Password } from "../../ui/form.tsx";
import { Hint } from "../../ui/hint.tsx";
import type { ConnectionValues } from "./connection-values.ts";

type Form = ApiForm<ConnectionValues>;
type Group = "oidc" | "claims";

/** Returns the props of an input for a value within `oidc` or `claims`. */
const nested = <G extends Group>({ form }: Form, group: G, name: keyof ConnectionValues[G] & string) => ({
  value: (form.values[group] as Record<string, string>)[name],
  error: form.errors[`${group}.${name}`],
  onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
    form.setFieldValue(group, { ...form.getValues()[group], [name]: value }),
});

type Props = {
  readonly form: Form;
  /** What to enter as issuer. */
  readonly issuerAbout: string;
  readonly secretAbout?: string;
  /** Whether people are linked: then it must stay clear who they are. */
  readonly isFixed?: boolean;
};

export function ConnectionFields({ form, issuerAbout, secretAbout, isFixed = false }: Props) {
  const texts = useTexts(connectionTexts);
  return (
    <>
      <TextInput label={texts.name} description={texts.nameAbout} {...form.field("name")} />
      {isFixed && <Hint>{texts.fixed}</Hint>}
      <TextInput
        type="url"
        label={texts.issuer}
        description={issuerAbout}
        disabled={isFixed}
        {...nested(form, "oidc", "issuer")}
      />
      <TextInput
        label={texts.clientId}
        autoComplete="off"
        disabled={isFixed}
        {...nested(form, "oidc", "clientId")}
      />
      <Password
        label={texts.clientSecret}
        description={secretAbout}
        autoComplete="off"
        {...nested(form, "oidc", "clientSecret")}
      />
      <TextInput
        type="date"
        label={texts.secretExpires}
        description={texts.secretExpiresAbout}
        {...nested(form, "oidc", "clientSecretExpiresAt")}
      />
      <ClaimFields form={form} isFixed={isFixed} />
    </>
  );
}

const CLAIMS = [
  ["emailClaim", "email"],
  ["firstNameClaim", "firstName"],
  ["lastNameClaim", "lastName"],
  ["groupsClaim", "groups"],
] as const;

/** The fields that few providers need. They are shown when one of them has an error. */
function ClaimFields({ form, isFixed }: { form: Form; isFixed: boolean }) {
  const texts = useTexts(connectionTexts);
  const hasError = Object.keys(form.form.errors).some(
    (path) => path.startsWith("claims.") || path === "oidc.scopes",
  );
  return (
    <details {...(hasError && { open: true })}>
      <summary>{texts.claims}</summary>
      <Stack gap="sm" mt="xs">
        <Hint>{texts.claimsAbout}</Hint>
        <TextInput label={texts.scopes} autoComplete="off" {...nested(form, "oidc", "scopes")} />
        <NativeSelect
          label={texts.subject}
          data={["sub", "oid"]}
          disabled={isFixed}
          {...nested(form, "claims", "subject")}
        />
        {CLAIMS.map(([label, name]) => (
          <TextInput key={name} label={texts[label]} autoComplete="off" {...nested(form, "claims", name)} />
        ))}
      </Stack>
    </details>
  );
}

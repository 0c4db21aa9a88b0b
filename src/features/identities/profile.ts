import { email as emailField } from "../../core/api/fields.ts";
import type { Language } from "../../platform/i18n/languages.ts";
import { hasControl, isInvisible, trimmed, withoutControl } from "../../platform/text.ts";

/** Somebody as a provider names them. `issuer` and `subject` say who it is, the rest is what they are called. */
export type OidcProfile = {
  issuer: string;
  subject: string;
  /** Null where there is none, or none of the form that accounts have. */
  email: string | null;
  /** Whether the provider saw that the email is theirs. */
  isEmailVerified: boolean;
  firstName: string;
  lastName: string;
  /** The one that the provider speaks with them, where it is one of ours. */
  language: Language | null;
};

const MAX_NAME = 100;
const MAX_SUBJECT = 255;

/** @throws where the subject is longer than OpenID Connect allows, or cannot be stored as it is */
export function profileFrom(
  { issuer, subject }: { issuer: string; subject: string },
  claims: Record<string, unknown>,
): OidcProfile {
  if (subject === "" || subject.length > MAX_SUBJECT || !subject.isWellFormed() || hasControl(subject))
    throw new Error("A subject that is none");
  const email = emailField.safeParse(claims.email).data ?? null;
  return {
    issuer,
    subject,
    email,
    // Exactly true: a string of that name comes from providers that pass on what people typed.
    isEmailVerified: claims.email_verified === true,
    ...namesFrom(claims, email ?? subject),
    language: languageFrom(claims.locale),
  };
}

/** Both names, neither empty: what the provider gives, else what the full name or the email begins and ends with. */
function namesFrom(claims: Record<string, unknown>, fallback: string) {
  const whole = nameFrom(claims.name) ?? nameFrom(fallback.split("@", 1)[0]) ?? fallback;
  const words = whole.split(/\s+/);
  const last = words.length > 1 ? (words.pop() ?? whole) : whole;
  return {
    firstName: nameFrom(claims.given_name) ?? nameFrom(words.join(" ")) ?? whole,
    lastName: nameFrom(claims.family_name) ?? nameFrom(last) ?? whole,
  };
}

/** A claim as a name of ours: one line, 1 to 100 characters, with something to see; else null. */
function nameFrom(claim: unknown): string | null {
  if (typeof claim !== "string") return null;
  const cut = [...trimmed(withoutControl(claim.toWellFormed()))].slice(0, MAX_NAME).join("");
  const name = trimmed(cut);
  return name === "" || isInvisible(name) ? null : name;
}

function languageFrom(locale: unknown): Language | null {
  const [language] = typeof locale === "string" ? locale.toLowerCase().split(/[-_]/) : [];
  return language === "el" || language === "en" ? language : null;
}

import { email as emailField } from "../../core/definitions/fields.ts";
import type { Language } from "../../platform/i18n/languages.ts";
import { hasControl, isInvisible, trimmed, withoutControl } from "../../platform/text.ts";

/** A user as the provider describes them. `issuer` and `subject` identify them; the rest is descriptive. */
export type OidcProfile = {
  issuer: string;
  subject: string;
  /** The user's email; null if the provider gives none, or none that is valid for accounts. */
  email: string | null;
  /** Whether the provider has verified that the email is theirs. */
  isEmailVerified: boolean;
  firstName: string;
  lastName: string;
  /** The user's locale at the provider, if the service supports the language. */
  language: Language | null;
  /** When the user proved themselves to the provider, in seconds; null if it does not say. */
  authenticatedAt: number | null;
};

const MAX_NAME = 100;
const MAX_SUBJECT = 255;

/**
 * Converts the provider's claims. @throws if the subject is longer than OpenID Connect allows, or cannot be stored
 * unchanged
 */
export function profileFrom(
  { issuer, subject }: { issuer: string; subject: string },
  claims: Record<string, unknown>,
): Omit<OidcProfile, "authenticatedAt"> {
  if (subject === "" || subject.length > MAX_SUBJECT || !subject.isWellFormed() || hasControl(subject))
    throw new Error("A subject that is none");
  const email = emailField.safeParse(claims.email).data ?? null;
  return {
    issuer,
    subject,
    email,
    // Only exactly `true` counts: the string "true" comes from providers that pass on unverified data.
    isEmailVerified: claims.email_verified === true,
    ...namesFrom(claims, email ?? subject),
    language: languageFrom(claims.locale),
  };
}

/** First and last name, neither empty: from the provider's claims, otherwise from the full name, otherwise the email. */
function namesFrom(claims: Record<string, unknown>, fallback: string) {
  const whole = nameFrom(claims.name) ?? nameFrom(fallback.split("@", 1)[0]) ?? fallback;
  const words = whole.split(/\s+/);
  const last = words.length > 1 ? (words.pop() ?? whole) : whole;
  return {
    firstName: nameFrom(claims.given_name) ?? nameFrom(words.join(" ")) ?? whole,
    lastName: nameFrom(claims.family_name) ?? nameFrom(last) ?? whole,
  };
}

/** Returns a claim as a valid name: one line, 1 to 100 visible characters; otherwise null. */
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

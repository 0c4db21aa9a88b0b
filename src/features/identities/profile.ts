import { email as emailField, hasControl, isInvisible, type Language, trimmed, withoutControl } from "#kit";

/** A user as the provider describes them. `issuer` and `subject` identify them; the rest is descriptive. */
export type OidcProfile = {
  issuer: string;
  subject: string;
  /** The user's email; null if the provider returns no email, or an email that is not valid for accounts. */
  email: string | null;
  /** Whether the provider has verified that the user owns the email. */
  isEmailVerified: boolean;
  firstName: string;
  lastName: string;
  /** The user's language at the provider; null if the service does not support it. */
  language: Language | null;
  /**
   * The time of the user's last authentication at the provider, in seconds; null if the provider does not return
   * it.
   */
  authenticatedAt: number | null;
};

const MAX_NAME = 100;
const MAX_SUBJECT = 255;

/**
 * Converts the provider's claims to a profile. @throws if the subject is longer than OpenID Connect allows, or
 * cannot be stored unchanged
 */
export function profileFrom(
  { issuer, subject, provesEmails }: { issuer: string; subject: string; provesEmails: boolean },
  claims: Record<string, unknown>,
): Omit<OidcProfile, "authenticatedAt"> {
  if (subject === "" || subject.length > MAX_SUBJECT || !subject.isWellFormed() || hasControl(subject))
    throw new Error("A subject that is none");
  const email = emailField.safeParse(claims.email).data ?? null;
  return {
    issuer,
    subject,
    email,
    isEmailVerified: isVerified(claims.email_verified, provesEmails),
    ...namesFrom(claims, email ?? subject),
    language: languageFrom(claims.locale),
  };
}

/**
 * Whether the provider has verified the email. Some providers send the text "true". A provider without the claim
 * has verified it only if the operator said that this provider proves every email.
 */
const isVerified = (claim: unknown, provesEmails: boolean): boolean =>
  claim === true || claim === "true" || (claim == null && provesEmails);

/**
 * Returns first and last name, neither of them empty: from the provider's claims, otherwise from the full name,
 * otherwise from the email.
 */
function namesFrom(claims: Record<string, unknown>, fallback: string) {
  const whole = nameFrom(claims.name) ?? nameFrom(fallback.split("@", 1)[0]) ?? fallback;
  const words = whole.split(/\s+/);
  const last = words.length > 1 ? (words.pop() ?? whole) : whole;
  return {
    firstName: nameFrom(claims.given_name) ?? nameFrom(words.join(" ")) ?? whole,
    lastName: nameFrom(claims.family_name) ?? nameFrom(last) ?? whole,
  };
}

/** Returns a claim if it is a valid name (one line, 1 to 100 visible characters), otherwise null. */
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

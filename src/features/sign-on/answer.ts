import { hasControl } from "#kit";
import { type OidcProfile, profileFrom } from "../identities/profile.ts";

/** Which claims of a connection are subject, email, names and groups. */
export type ClaimNames = {
  subject: "sub" | "oid";
  email: string;
  firstName: string;
  lastName: string;
  groups: string;
};

type Claims = Record<string, unknown>;

/** A person as the provider of a connection describes them. */
export type Answer = Pick<OidcProfile, "subject" | "email" | "firstName" | "lastName" | "language"> & {
  /**
   * Whether the provider says that the email is verified; null if it says nothing, or if another claim is the email. Only the
   * value true counts as true.
   */
  isEmailVerified: boolean | null;
  /** The groups as they were sent, each once; null without a claim, or if it is not a list of texts. */
  groups: string[] | null;
  /** The domain of the organization at Google; null without the claim. */
  hostedDomain: string | null;
  /** When the person last authenticated at the provider, in seconds; null if the provider does not say so. */
  authenticatedAt: number | null;
};

/**
 * Reads the answer of a provider: who it is from the ID token, the rest from `claims`, which are those of the ID token or of
 * userinfo. @throws if there is no valid subject
 */
export function answerFrom(names: ClaimNames, idToken: Claims, claims: Claims): Answer {
  const subject = idToken[names.subject];
  if (typeof subject !== "string") throw new Error(`No claim ${names.subject}`);
  const profile = profileFrom(
    { issuer: "", subject, provesEmails: false },
    {
      email: claims[names.email],
      given_name: claims[names.firstName],
      family_name: claims[names.lastName],
      name: claims.name,
      locale: claims.locale,
    },
  );
  return {
    subject: profile.subject,
    email: profile.email,
    firstName: profile.firstName,
    lastName: profile.lastName,
    language: profile.language,
    isEmailVerified:
      names.email === "email" && "email_verified" in claims ? claims.email_verified === true : null,
    groups: groupsFrom(claims[names.groups]),
    hostedDomain: typeof idToken.hd === "string" ? idToken.hd.toLowerCase() : null,
    authenticatedAt: typeof idToken.auth_time === "number" ? idToken.auth_time : null,
  };
}

/** Returns the groups of a claim; texts that no mapping can name are left out. */
function groupsFrom(claim: unknown): string[] | null {
  const groups = typeof claim === "string" ? [claim] : claim;
  if (!Array.isArray(groups) || groups.some((group) => typeof group !== "string")) return null;
  return [...new Set<string>(groups)].filter(isGroup);
}

const MAX_GROUP = 256;

/** Whether a text can be the name of a group: compared byte for byte, and stored unchanged. */
export const isGroup = (text: string): boolean =>
  text !== "" && [...text].length <= MAX_GROUP && text.isWellFormed() && !hasControl(text);

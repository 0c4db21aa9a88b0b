export const NEEDS_HTTPS = "must be an https address, because the app has a secret";

/** Returns the places of the redirects that a confidential client cannot have: those to a person's own computer. */
export const plainRedirects = (redirects: unknown[]): number[] =>
  redirects.flatMap((one, index) => (typeof one === "string" && one.startsWith("http:") ? [index] : []));

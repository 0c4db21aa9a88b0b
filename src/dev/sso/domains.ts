/** The domains of the demo organizations: Acme's is to be proven, that of Globex is. */
export const ACME_DOMAIN = "acme.test";
export const GLOBEX_DOMAIN = "globex.test";

/** The kinds of identity providers that the form knows: what each needs, and the steps of its guide. */
export const KINDS = {
  entra: {
    issuer: "",
    scopes: "openid email profile",
    subject: "oid",
    guide: ["entra1", "entra2", "entra3", "entra4", "entra5"],
  },
  okta: {
    issuer: "",
    scopes: "openid email profile",
    subject: "sub",
    guide: ["okta1", "okta2", "okta3", "okta4"],
  },
  google: {
    issuer: "https://accounts.google.com",
    scopes: "openid email profile",
    subject: "sub",
    guide: ["google1", "google2", "google3"],
  },
  other: {
    issuer: "",
    scopes: "openid email profile",
    subject: "sub",
    guide: ["other1", "other2"],
  },
} as const;

export type Kind = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as Kind[];

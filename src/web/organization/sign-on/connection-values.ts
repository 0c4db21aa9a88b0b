import type { Schemas } from "../../../client/index.ts";

type Connection = Schemas["Connection"];
type Create = Schemas["CreateConnectionBody"];
type Update = Schemas["UpdateConnectionBody"];

/** The values of the form for a connection. The secret is empty: the API never returns it. */
export type ConnectionValues = {
  name: string;
  oidc: {
    issuer: string;
    clientId: string;
    clientSecret: string;
    scopes: string;
    /** A day, such as "2027-01-31"; empty if unknown. */
    clientSecretExpiresAt: string;
  };
  claims: { subject: string; email: string; firstName: string; lastName: string; groups: string };
};

/** The kinds of identity providers that the form knows, each with the steps of its guide. */
export const GUIDES = {
  entra: ["entra1", "entra2", "entra3", "entra4", "entra5"],
  okta: ["okta1", "okta2", "okta3", "okta4"],
  google: ["google1", "google2", "google3"],
  other: ["other1", "other2"],
} as const;

export type Kind = keyof typeof GUIDES;
export const KINDS = Object.keys(GUIDES) as Kind[];

/** Returns the values of a new connection of a kind. */
export const valuesOfKind = (kind: Kind): ConnectionValues => ({
  name: "",
  oidc: {
    issuer: kind === "google" ? "https://accounts.google.com" : "",
    clientId: "",
    clientSecret: "",
    scopes: "openid email profile",
    clientSecretExpiresAt: "",
  },
  claims: {
    subject: kind === "entra" ? "oid" : "sub",
    email: "email",
    firstName: "given_name",
    lastName: "family_name",
    groups: "groups",
  },
});

/** Returns the values of a stored connection. */
export const valuesOf = ({ name, oidc, claims }: Connection): ConnectionValues => ({
  name,
  oidc: {
    issuer: oidc.issuer,
    clientId: oidc.clientId,
    clientSecret: "",
    scopes: oidc.scopes,
    clientSecretExpiresAt: oidc.clientSecretExpiresAt?.slice(0, 10) ?? "",
  },
  claims,
});

const timeOf = (day: string) => (day === "" ? null : `${day}T00:00:00Z`);

/** Returns the body that creates a connection. Without a secret, the client is public. */
export const creationOf = ({ name, oidc, claims }: ConnectionValues): Create => {
  const { clientSecret, clientSecretExpiresAt, ...others } = oidc;
  return {
    name,
    oidc: {
      ...others,
      ...(clientSecret !== "" && { clientSecret }),
      clientSecretExpiresAt: timeOf(clientSecretExpiresAt),
    },
    claims: claims as Create["claims"],
  };
};

/** Returns the entries that differ from those before. */
const changed = <Part extends Record<string, string>>(before: Part, after: Part) =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => value !== before[name]),
  ) as Partial<Part>;

/** Returns the body that changes a connection: only what the user changed. */
export function changeOf(before: ConnectionValues, after: ConnectionValues): Update {
  const { clientSecretExpiresAt, ...others } = changed(before.oidc, after.oidc);
  const oidc = {
    ...others,
    ...(clientSecretExpiresAt !== undefined && { clientSecretExpiresAt: timeOf(clientSecretExpiresAt) }),
  };
  const claims = changed(before.claims, after.claims) as Update["claims"];
  return {
    ...(after.name !== before.name && { name: after.name }),
    ...(Object.keys(oidc).length > 0 && { oidc }),
    ...(Object.keys(claims ?? {}).length > 0 && { claims }),
  };
}

import { Caller } from "./caller.ts";
import { StateBrowser } from "./oidc.ts";
import { createOrganization, type Organization } from "./organizations.ts";
import { expectStatus, type Service, uniqueEmail } from "./service.ts";
import type { Claims, SsoProvider } from "./sso-provider.ts";

/** A connection of an organization with a provider, for tests of signing in. */
export type Connection<Provider = SsoProvider> = {
  id: string;
  organization: Organization;
  domain: string;
  provider: Provider;
};

type Settings = {
  provisioning?: "none" | "jit";
  secondFactor?: "own" | "trusted";
  claims?: Record<string, string>;
  status?: string;
  issuer?: string;
};

/** Inserts an enabled connection with a verified domain. Its client is public. */
export async function connect<Provider extends { issuer: string }>(
  t: Service,
  organization: Organization,
  provider: Provider,
  { provisioning = "jit", secondFactor = "own", claims = {}, status = "ENABLED", issuer }: Settings = {},
): Promise<Connection<Provider>> {
  const names = {
    subject: "sub",
    email: "email",
    firstName: "given_name",
    lastName: "family_name",
    groups: "groups",
  };
  const [row] = await t.sql<{ id: string }>(
    `INSERT INTO sso_connections (organization_id, name, status, issuer, client_id, claims, provisioning, second_factor)
     VALUES ($1, 'Acme', $2, $3, 'service', $4, $5, $6) RETURNING id`,
    [organization.id, status, issuer ?? provider.issuer, { ...names, ...claims }, provisioning, secondFactor],
  );
  const id = row?.id ?? "";
  const domain = `${crypto.randomUUID()}.example.com`;
  await addDomain(t, organization, domain, id);
  return { id, organization, domain, provider };
}

/** Inserts a domain of an organization. */
export async function addDomain(
  t: Service,
  { id }: Organization,
  domain: string,
  connectionId: string | null = null,
  status = "VERIFIED",
  join = "off",
): Promise<string> {
  const [row] = await t.sql<{ id: string }>(
    `INSERT INTO organization_domains (organization_id, domain, value, status, connection_id, join_mode, verified_at)
     VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $4 <> 'PENDING' THEN now() END) RETURNING id`,
    [id, domain, crypto.randomUUID(), status, connectionId, join],
  );
  return row?.id ?? "";
}

/** Creates an organization with a verified domain by which people join in this mode. */
export async function openOrganization(t: Service, mode = "request") {
  const organization = await createOrganization(t, "Acme");
  const domain = `d-${crypto.randomUUID().slice(0, 8)}.com`;
  return { organization, domain, domainId: await addDomain(t, organization, domain, null, "VERIFIED", mode) };
}

/** Returns what a provider says of somebody with an address of the connection's domain. */
export function somebody(
  { domain }: Pick<Connection, "domain">,
  claims: Record<string, unknown> = {},
): Claims & { email: string } {
  const sub = crypto.randomUUID();
  return { sub, email: `${sub}@${domain}`, given_name: "Grace", family_name: "Hopper", ...claims };
}

/** Inserts a mapping of a group. */
export async function mapGroup(
  t: Service,
  { id, organization }: Connection,
  group: string,
  roleId: string,
  unitId: string | null = null,
): Promise<string> {
  const [row] = await t.sql<{ id: string }>(
    `INSERT INTO sso_mappings (organization_id, connection_id, group_name, role_id, unit_id) VALUES ($1, $2, $3, $4, $5)
     RETURNING id`,
    [organization.id, id, group, roleId, unitId],
  );
  return row?.id ?? "";
}

/** A browser during a sign-in by a connection. */
export class SsoBrowser extends StateBrowser {
  constructor(
    readonly connection: Connection,
    caller: Caller,
  ) {
    super("sso_state", caller);
  }

  /** Starts a sign-in; returns the authorization URL. */
  async begin(query = "", headers: Record<string, string> = {}): Promise<string> {
    const path = `/api/auth/sso/${this.connection.id}${query}`;
    return expectStatus(await this.get(path, headers), 302).headers.get("location") ?? "";
  }

  /** Calls a route that returns an authorization URL with the state cookie; returns the body. */
  async beginBy(path: string) {
    return this.keep(await this.caller.post(path)).body;
  }

  /** Signs in as a person of the provider, from start to callback; null cancels there. */
  async signIn(claims: Claims | null): Promise<Record<string, string>> {
    return this.finish(this.connection.provider.visit(await this.begin(), claims));
  }
}

/** Returns a browser at a connection: without a session, or with that of a caller. */
export const browserAt = (
  t: Service,
  connection: Connection,
  caller = new Caller(t.url, { email: "", password: "" }),
) => new SsoBrowser(connection, caller);

/** Signs in as somebody of a connection; returns the browser. @throws if the sign-in is refused */
export async function signedInBy(
  t: Service,
  connection: Connection,
  claims: Claims,
  caller?: Caller,
): Promise<SsoBrowser> {
  const browser = browserAt(t, connection, caller);
  const outcome = await browser.signIn(claims);
  if (outcome.token === undefined) throw new Error(JSON.stringify(outcome));
  return browser;
}

/** An account whose address is of the connection's domain. */
export const personOf = (t: Service, { domain }: Pick<Connection, "domain">): Promise<Caller> =>
  t.person({ email: uniqueEmail().replace(/@.*$/, `@${domain}`) });

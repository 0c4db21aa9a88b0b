import { type ApiResponse, Caller } from "./caller.ts";
import { outcomeOf } from "./oidc.ts";
import type { Organization } from "./organizations.ts";
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
): Promise<void> {
  await t.sql(
    `INSERT INTO organization_domains (organization_id, domain, value, status, connection_id, verified_at)
     VALUES ($1, $2, $3, $4, $5, CASE WHEN $4 <> 'PENDING' THEN now() END)`,
    [id, domain, crypto.randomUUID(), status, connectionId],
  );
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

/** A browser during a sign-in by a connection: keeps the state cookie beside those of its `Caller`. */
export class SsoBrowser {
  state: string | null = null;
  stateHeader: string | null = null;

  constructor(
    readonly connection: Connection,
    readonly caller: Caller,
  ) {}

  private get path() {
    return `/api/auth/sso/${this.connection.id}`;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const cookies = [
      this.state === null ? "" : `sso_state=${this.state}`,
      this.caller.cookie === null ? "" : `refresh_token=${this.caller.cookie}`,
    ];
    const cookie = cookies.filter(Boolean).join("; ");
    return this.keep(
      await this.caller.get(path, { headers: { ...(cookie !== "" && { cookie }), ...headers } }),
    );
  }

  /** Starts a sign-in; returns the authorization URL. */
  async begin(query = "", headers: Record<string, string> = {}): Promise<string> {
    const response = expectStatus(await this.get(this.path + query, headers), 302);
    return response.headers.get("location") ?? "";
  }

  /** Calls a route that returns an authorization URL with the state cookie. */
  async beginBy(path: string): Promise<string> {
    return this.keep(await this.caller.post(path)).body.url;
  }

  /** Requests the callback URL; returns the fragment that the client receives. */
  async finish(callbackUrl: string): Promise<Record<string, string>> {
    const { pathname, search } = new URL(callbackUrl);
    const outcome = outcomeOf(expectStatus(await this.get(pathname + search), 302));
    if (outcome.token !== undefined) this.caller.accessToken = outcome.token;
    return outcome;
  }

  /** Signs in as a person of the provider, from start to callback; null cancels there. */
  async signIn(claims: Claims | null): Promise<Record<string, string>> {
    return this.finish(this.connection.provider.visit(await this.begin(), claims));
  }

  private keep(response: ApiResponse): ApiResponse {
    const header = response.headers.getSetCookie().find((cookie) => cookie.startsWith("sso_state="));
    if (header !== undefined) {
      this.stateHeader = header;
      this.state = header.slice("sso_state=".length, header.indexOf(";")) || null;
    }
    return response;
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
export const personOf = (t: Service, { domain }: Connection): Promise<Caller> =>
  t.person({ email: uniqueEmail().replace(/@.*$/, `@${domain}`) });

import { afterAll } from "bun:test";
import type { Caller } from "./caller.ts";
import { type Oidc, openOidc } from "./oidc.ts";
import type { Organization } from "./organizations.ts";
import { idOf } from "./outcomes.ts";
import { expectStatus, type Service, uniqueEmail } from "./service.ts";

export const CONNECTIONS = "/api/organization/connections";
export const SETUP_LINKS = "/api/organization/sign-on/setup-links";
export const MAPPINGS = "/api/organization/mappings";

/** Starts a provider to which connections can be made, for one test file. */
export async function startProvider(): Promise<Oidc> {
  const { oidc, stop } = await openOidc("acme");
  afterAll(stop);
  return oidc;
}

/** Returns a body that creates a connection. */
export const connectionTo = ({ issuer }: { issuer: string }, more: Record<string, unknown> = {}) => ({
  name: "Acme",
  oidc: { issuer, clientId: "service", clientSecret: "s3cret" },
  ...more,
});

/** Adds a connection as a draft; returns its id. */
export const addConnection = async (
  { admin }: Pick<Organization, "admin">,
  provider: { issuer: string },
  more: Record<string, unknown> = {},
): Promise<string> => expectStatus(await admin.post(CONNECTIONS, connectionTo(provider, more)), 201).body.id;

/** Stores that a person has tested what a connection is now, without a provider. */
export const passTest = (t: Service, connectionId: string, person: Caller, minutesAgo = 0) =>
  t.sql(
    `INSERT INTO sso_tests (connection_id, user_id, tested_version, passed_at, expires_at)
     SELECT id, $2, tested_version, now() - make_interval(mins => $3), now() FROM sso_connections WHERE id = $1`,
    [connectionId, idOf(person), minutesAgo],
  );

/** Adds a connection, tests and enables it; returns its id. */
export async function enabledConnection(
  t: Service,
  org: Organization,
  provider: { issuer: string },
): Promise<string> {
  const id = await addConnection(org, provider);
  await passTest(t, id, org.admin);
  expectStatus(await org.admin.patch(`${CONNECTIONS}/${id}`, { status: "ENABLED" }), 200);
  return id;
}

/** Links a person to a connection, with the groups of the last sign-in. */
export const linkTo = (t: Service, connectionId: string, person: Caller, ...groups: string[]) =>
  t.sql(
    "INSERT INTO sso_identities (connection_id, user_id, subject, email, groups) VALUES ($1, $2, $3, $4, $5)",
    [
      connectionId,
      idOf(person),
      crypto.randomUUID(),
      person.email,
      `{${groups.map((group) => JSON.stringify(group)).join(",")}}`,
    ],
  );

/** Sends a setup link, and returns its id and a caller with its token. */
export async function setupLink(
  t: Service,
  { admin }: Pick<Organization, "admin">,
  ...what: ("domains" | "connection")[]
): Promise<{ id: string; email: string; setter: Caller }> {
  const email = uniqueEmail();
  const { id } = expectStatus(await admin.post(SETUP_LINKS, { email, what }), 201).body;
  const setter = t.anonymous();
  setter.accessToken = (await t.linkTo(email, "/sign-on-setup")).token;
  return { id, email, setter };
}

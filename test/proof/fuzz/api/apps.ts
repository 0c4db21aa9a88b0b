import { appScopeNames } from "../../../../src/core/access/app-scopes.ts";
import { appSecret } from "../../../../src/core/access/token-forms.ts";
import { tokenHash } from "../../../../src/platform/crypto.ts";
import { CHALLENGE, LOOPBACK, queryOf, REDIRECT } from "../../../support/apps.ts";
import type { Rows } from "../../../support/rows.ts";
import { type CallerName, ORGANIZATIONS } from "./callers.ts";
import type { Fixture } from "./fixture.ts";
import type { OrganizationFixture } from "./organization.ts";
import type { RequestPlan } from "./requests.ts";

/** What one app may send to the endpoint of tokens; "" if it has none of that kind. */
type Credentials = { clientId: string; secret: string; code: string; token: string };

/** What requests of apps refer to. */
export type Apps = {
  /** Queries with which apps ask. */
  queries: string[];
  /** What was shown last to each caller. */
  requests: Map<CallerName, { requestToken: string; clientId: string }>;
  credentials: Credentials[];
};

/** How many of the queries have no fault; the last of them is of an app that another organization registered. */
const GOOD_QUERIES = 5;

/**
 * Adds to each organization registered apps, approved ones, and what its people allowed an app. The operator has one app, and one is described by
 * a document that was read. Texts that requests never contain have the marker of the organization.
 */
export function addApps(
  rows: Rows,
  fixture: Fixture,
  { apiUrl, unique }: { apiUrl: string; unique: string },
) {
  const { organizations, organizationById, userIds, callers, apps, recordedIds, strayKeys } = fixture;
  const { own, other } = organizations;
  type Table = Parameters<Rows["put"]>[0];
  const put = (at: OrganizationFixture, kind: string, table: Table, row: Record<string, unknown>) => {
    const id = rows.put(table, { organization_id: at.id, ...row });
    at.ids[kind] = [...(at.ids[kind] ?? []), id];
    return id;
  };
  const secret = appSecret("s");
  const client = (name: string, isConfidential = false) => ({
    ...{ name, redirect_uris: isConfidential ? [REDIRECT] : [REDIRECT, LOOPBACK] },
    ...{ is_confidential: isConfidential, secret_hash: isConfidential ? tokenHash(secret) : null },
  });
  const operator = rows.put("oauth_clients", { organization_id: null, ...client("Operator's app") });
  const document = `https://agent.example.com/${unique}/client.json`;
  rows.put("oauth_client_documents", { url: document, name: "Agent", redirect_uris: [REDIRECT] });

  type Given = { userId: string; unitId?: string | null; clientId: string; isRedeemed?: boolean };
  const allow = (at: OrganizationFixture, { userId, unitId = null, clientId, isRedeemed = true }: Given) => {
    const used = isRedeemed ? new Date() : null;
    const isDocument = clientId === document;
    return put(at, "connectedApp", "oauth_grants", {
      ...{ user_id: userId, unit_id: unitId, client_id: clientId, redeemed_at: used, last_used_at: used },
      ...{
        oauth_client_id: isDocument ? null : clientId,
        client_host: isDocument ? "agent.example.com" : null,
      },
      ...{ client_name: clientId === operator || isDocument ? "App" : `App ${at.marker}` },
      ...{
        redirect_uri: REDIRECT,
        resource: "api",
        scopes: appScopeNames(),
        request_id: crypto.randomUUID(),
      },
    });
  };
  const giveToken = (grantId: string, kind: "access" | "refresh") => {
    const token = appSecret(kind === "access" ? "a" : "r");
    rows.put("oauth_tokens", { token_hash: tokenHash(token), grant_id: grantId, kind });
    return token;
  };
  const clients = Object.fromEntries(
    ORGANIZATIONS.map((name) => {
      const at = organizations[name];
      const [shared, server] = [
        put(at, "oauthClient", "oauth_clients", client(`Shared ${at.marker}`)),
        put(at, "oauthClient", "oauth_clients", client(`Server ${at.marker}`, true)),
      ];
      const gone = put(at, "oauthClient", "oauth_clients", client(at.restrictedMarkers.deleted));
      at.toDelete.push({ table: "oauth_clients", id: gone });
      put(at, "approvedApp", "oauth_approved_apps", { app: `${at.marker}.example.com` });
      put(at, "approvedApp", "oauth_approved_apps", { app: "agent.example.com" });
      const [founder = "", below = ""] = at.ids.user ?? [];
      for (const userId of [founder, below]) giveToken(allow(at, { userId, clientId: shared }), "refresh");
      allow(at, { userId: below, clientId: document });
      return [name, { shared, server }];
    }),
  );
  const { shared = "", server = "" } = clients.own ?? {};

  const person = (at: OrganizationFixture, userId: string, clientId: string): Credentials => {
    const code = appSecret("c");
    const asked = allow(at, { userId, clientId, isRedeemed: false });
    rows.put("oauth_codes", { token_hash: tokenHash(code), grant_id: asked, code_challenge: CHALLENGE });
    const token = giveToken(allow(at, { userId, clientId }), "refresh");
    return { clientId, secret: clientId === server ? secret : "", code, token };
  };
  for (const name of ["member", "unitAdmin", "orgAdmin", "inBoth", "confined"] as const) {
    for (const clientId of name === "member" ? [shared, server, operator, document] : [shared])
      apps.credentials.push(person(own, userIds[name], clientId));
    recordedIds.push({ kind: "connectedApp", id: own.ids.connectedApp?.at(-1) ?? "", caller: name });
  }
  for (const name of ["stranger", "confined"] as const)
    apps.credentials.push(person(other, userIds[name], clients.other?.shared ?? ""));
  for (const [name, unitId, clientId] of [
    ["app", null, shared] as const,
    ["unitApp", own.unit, operator] as const,
  ]) {
    const grantId = allow(own, { userId: own.founder, unitId, clientId });
    userIds[name] = own.founder;
    callers[name].accessToken = giveToken(grantId, "access");
    giveToken(grantId, "refresh");
  }
  strayKeys.push(
    giveToken(allow(own, { userId: own.founder, clientId: document }), "refresh"),
    appSecret("r"),
  );
  const api = { resource: `${apiUrl}/api` };
  apps.queries.push(
    ...[queryOf(shared, api), queryOf(operator, api), queryOf(server), queryOf(document)],
    ...[queryOf(clients.other?.shared ?? "", api), queryOf(shared, { scope: "todos:read x" })],
    ...[
      queryOf(shared, { code_challenge_method: "plain" }),
      queryOf(shared, { redirect_uri: "javascript:1" }),
    ],
    ...[queryOf(crypto.randomUUID()), queryOf("https://localhost/client.json"), `${queryOf(shared)}&state=x`],
  );
  for (const name of ORGANIZATIONS)
    for (const kind of ["oauthClient", "approvedApp", "connectedApp"])
      for (const id of organizations[name].ids[kind] ?? []) organizationById.set(id, name);
}

/** Has an app ask the caller, so that the caller can decide. */
export async function beginAuthorization({ callers, apps }: Fixture, name: CallerName): Promise<void> {
  const query = apps.queries[apps.credentials.length % GOOD_QUERIES] ?? "";
  if (callers[name].accessToken === null) return;
  const { status, body } = await callers[name].post("/api/oauth/authorizations", { query });
  if (status !== 200) return;
  const { requestToken, client } = body as { requestToken: string; client: { id: string } };
  apps.requests.set(name, { requestToken, clientId: client.id });
}

const at = ({ credentials }: Apps, number: number): Credentials | undefined =>
  credentials.at(number % 2 === 0 ? -1 - (number % 3) : number % credentials.length);

const FIELDS = { appCode: "code", appToken: "token", appClient: "clientId", appSecret: "secret" } as const;

/** Returns a field of the credentials with this number; all references with one number are to the same app. */
export const appText = (apps: Apps, kind: keyof typeof FIELDS, number: number): string =>
  at(apps, number)?.[FIELDS[kind]] ?? "";

/** Stores the code or the refresh token in a response, as the app does. */
export function recordAppSecrets(
  { caller, body: sent }: RequestPlan,
  { apps }: Fixture,
  body: unknown,
): void {
  const { redirectTo, refresh_token: token } = Object(body) as {
    redirectTo?: string;
    refresh_token?: string;
  };
  const code = new URL(redirectTo ?? "x:").searchParams.get("code");
  const asked = apps.requests.get(caller);
  const known = apps.credentials.find(({ clientId }) => clientId === asked?.clientId);
  if (code !== null && asked !== undefined)
    apps.credentials.push({ clientId: asked.clientId, secret: known?.secret ?? "", code, token: "" });
  if (token === undefined || sent.kind !== "fields") return;
  const number = /@@appClient:(\d+)/.exec(JSON.stringify(sent.fields))?.[1];
  const of = number === undefined ? undefined : at(apps, Number(number));
  if (of !== undefined) apps.credentials.push({ ...of, code: "", token });
}

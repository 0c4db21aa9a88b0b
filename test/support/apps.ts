import { createHash } from "node:crypto";
import { appScopeNames } from "../../src/core/access/app-scopes.ts";
import { appSecret } from "../../src/core/access/token-forms.ts";
import { tokenHash } from "../../src/kit/secrets.ts";
import { exactlyOne } from "../../src/platform/db/prepared-query.ts";
import { Caller } from "./caller.ts";
import { createOrganization, type Organization } from "./organizations.ts";
import { idOf } from "./outcomes.ts";
import { expectStatus, type Service } from "./service.ts";

/** The client id of an app that describes itself by a document; none is read by it. */
export const DOCUMENT_APP = "https://agent.example.com/oauth/client.json";

type Place = { userId: string; organizationId: string };
export type Settings = {
  unitId?: string | null;
  /** The address of a document, or with `oauthClientId` its id. */
  clientId?: string;
  oauthClientId?: string | null;
  clientName?: string;
  redirectUri?: string;
  resource?: "mcp" | "api";
  scopes?: string[];
  acr?: "1" | "2";
  /** Null: the code was not redeemed, and there are no tokens. */
  redeemedAt?: Date | null;
  expiresAt?: Date;
  lastUsedAt?: Date | null;
};

/** What one person allowed one app, with its tokens. */
export type Grant = { grantId: string; accessToken: string; refreshToken: string };

const days = (count: number) => new Date(Date.now() + count * 86_400_000);

/** Inserts a redeemed grant of an app, with an access token and a refresh token; by default with all scopes, at `/api`. */
export async function insertGrant(
  t: Pick<Service, "sql">,
  { userId, organizationId, ...settings }: Place & Settings,
): Promise<Grant> {
  const { oauthClientId = null, redeemedAt = new Date() } = settings;
  const clientId = settings.clientId ?? oauthClientId ?? DOCUMENT_APP;
  const expiresAt = settings.expiresAt ?? days(30);
  const { id } = exactlyOne(
    await t.sql<{ id: string }>(
      `INSERT INTO oauth_grants (user_id, organization_id, unit_id, client_id, oauth_client_id, client_name, client_host, redirect_uri,
         resource, scopes, acr, request_id, redeemed_at, expires_at, last_used_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, ARRAY(SELECT jsonb_array_elements_text($10::text::jsonb)), $11, gen_random_uuid(), $12, $13, $14)
       RETURNING id`,
      [
        userId,
        organizationId,
        settings.unitId ?? null,
        clientId,
        oauthClientId,
        settings.clientName ?? "Agent",
        URL.parse(clientId)?.hostname ?? null,
        settings.redirectUri ?? "https://agent.example.com/callback",
        settings.resource ?? "api",
        JSON.stringify(settings.scopes ?? appScopeNames()),
        settings.acr ?? "1",
        redeemedAt,
        expiresAt,
        settings.lastUsedAt ?? null,
      ],
    ),
  );
  const grant = { grantId: id, accessToken: appSecret("a"), refreshToken: appSecret("r") };
  if (redeemedAt !== null)
    await t.sql(
      `INSERT INTO oauth_tokens (token_hash, grant_id, kind, expires_at)
       VALUES ($1, $2, 'access', LEAST($4::timestamptz, now() + interval '15 minutes')), ($3, $2, 'refresh', $4)`,
      [tokenHash(grant.accessToken), id, tokenHash(grant.refreshToken), expiresAt],
    );
  return grant;
}

/** Connects an app for a member of an organization; returns the grant, and the app as a caller of the API. */
export async function connectApp(
  t: Pick<Service, "sql" | "url">,
  { id: organizationId, admin }: Organization,
  person = admin,
  settings: Settings = {},
) {
  const grant = await insertGrant(t, { userId: idOf(person), organizationId, ...settings });
  return { ...grant, app: useApp(t, grant.accessToken) };
}

/** Returns a caller that calls the API with the access token of an app. */
export function useApp({ url }: Pick<Service, "url">, accessToken: string): Caller {
  const caller = new Caller(url);
  caller.accessToken = accessToken;
  return caller;
}

/** The redirects of apps of tests. */
export const REDIRECT = "https://agent.example.com/callback";
export const LOOPBACK = "http://localhost/callback";

type Registered = {
  /** Null: registered by the operator. */
  organizationId?: string | null;
  name?: string;
  redirectUris?: string[];
  enabled?: boolean;
  /** Null: a public app. */
  secret?: string | null;
};

/** Inserts a registered app; returns its id. */
export async function insertClient(
  t: Pick<Service, "sql">,
  {
    organizationId = null,
    name = "Agent",
    redirectUris = [REDIRECT, LOOPBACK],
    enabled = true,
    secret = null,
  }: Registered = {},
): Promise<string> {
  const { id } = exactlyOne(
    await t.sql<{ id: string }>(
      `INSERT INTO oauth_clients (organization_id, name, redirect_uris, is_confidential, is_enabled, secret_hash)
       VALUES ($1, $2, ARRAY(SELECT jsonb_array_elements_text($3::text::jsonb)), $5::text IS NOT NULL, $4, $5) RETURNING id`,
      [organizationId, name, JSON.stringify(redirectUris), enabled, secret && tokenHash(secret)],
    ),
  );
  return id;
}

export const AUTHORIZATIONS = "/api/oauth/authorizations";
/** A verifier of a code, and its challenge. */
export const VERIFIER = "v".repeat(43);
export const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

/** Returns the query of an authorization request that has no fault, with changed parameters; null leaves one out. */
export function queryOf(clientId: string, changes: Record<string, string | null> = {}): string {
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    state: "a state",
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.append(name, value);
  return query.toString();
}

/** Returns a function that returns a reader of authorization requests: somebody new each 30 times, because a person may read so many a minute. */
export function readersOf(t: Service): () => Promise<Caller> {
  let left = 0;
  let reader: Promise<Caller>;
  return () => {
    if (left === 0) [reader, left] = [t.person(), 30];
    left -= 1;
    return reader;
  };
}

/** Reads an authorization request as a person; returns what the page shows. */
export const beginAs = async (person: Caller, query: string) =>
  expectStatus(await person.post(AUTHORIZATIONS, { query }), 200).body;

type Choice = { organizationId: string; unitId?: string | null; scopes?: string[]; days?: number };

/** Approves a request; by default all scopes that it offers. */
export const approveAs = (
  person: Caller,
  shown: { requestToken: string; scopes: { name: string }[] },
  choice: Choice,
) =>
  person.post(`${AUTHORIZATIONS}/approve`, {
    requestToken: shown.requestToken,
    scopes: shown.scopes.map(({ name }) => name),
    ...choice,
  });

/** Returns the parameters with which an app is told. */
export const toldBy = (redirectTo: string) => Object.fromEntries(new URL(redirectTo).searchParams);

/** Whether an app may call the API with this access token, by a request that every member may make. */
export async function works(t: Pick<Service, "url">, { accessToken }: Grant): Promise<boolean> {
  const { status } = await useApp(t, accessToken).get("/api/permissions");
  if (status !== 200 && status !== 401) throw new Error(`Unexpected status ${status}`);
  return status === 200;
}

/** Whether a grant has ended, and why. */
export async function endOfGrant(
  t: Pick<Service, "sql">,
  { grantId }: Pick<Grant, "grantId">,
): Promise<string | null> {
  const [row] = await t.sql<{ end_reason: string | null }>(
    "SELECT end_reason FROM oauth_grants WHERE id = $1",
    [grantId],
  );
  return row?.end_reason ?? null;
}

/** Approves like `approveAs`; returns the parameters with which the app is told. */
export const approvedBy = async (...given: Parameters<typeof approveAs>) =>
  toldBy(expectStatus(await approveAs(...given), 200).body.redirectTo);

/** Returns the founder of a new organization, to whom the request of an app is shown. */
export async function askedFounder(
  t: Service,
  clientId: string,
  changes: Record<string, string | null> = {},
) {
  const organization = await createOrganization(t);
  const person = organization.admin;
  return { organization, person, shown: await beginAs(person, queryOf(clientId, changes)) };
}

/** Returns the rows of all grants of a person, the oldest first. */
export const grantsOf = (t: Pick<Service, "sql">, person: Caller) =>
  t.sql("SELECT * FROM oauth_grants WHERE user_id = $1 ORDER BY created_at, id", [idOf(person)]);

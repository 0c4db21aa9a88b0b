import { appSecret } from "../../src/core/access/token-forms.ts";
import { tokenHash } from "../../src/platform/crypto.ts";
import {
  CHALLENGE,
  DOCUMENT_APP,
  insertClient,
  insertGrant,
  REDIRECT,
  type Settings,
  VERIFIER,
} from "./apps.ts";
import type { ApiResponse } from "./caller.ts";
import { createOrganization, type Organization } from "./organizations.ts";
import { idOf } from "./outcomes.ts";
import { expectStatus, type Service, startService } from "./service.ts";

export const AGENT = DOCUMENT_APP;

export type Fields = Record<string, string> | [string, string][] | string;

/** Sends the fields of a form. A text is sent as it is. */
export const sendForm = (
  t: Pick<Service, "anonymous">,
  path: string,
  fields: Fields,
  { headers = {}, url }: { headers?: Record<string, string>; url?: string } = {},
): Promise<ApiResponse> =>
  t.anonymous(url).post(path, undefined, {
    raw: typeof fields === "string" ? fields : new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from([id, secret].map(encodeURIComponent).join(":")).toString("base64")}`,
});

/** Returns the status and the error of an answer in the shape of RFC 6749; throws for another shape. */
export function refusal({ status, body }: ApiResponse): string {
  const { error, error_description: description, ...more } = body;
  if (typeof error !== "string" || typeof description !== "string" || Object.keys(more).length > 0)
    throw new Error(`Not in the shape of RFC 6749: ${status} ${JSON.stringify(body)}`);
  return `${status} ${error}`;
}

/** What an app needs to redeem a code. */
export type Code = { grantId: string; code: string; verifier: string; clientId: string };

/** Inserts a grant as approved by the organization's founder or a member, with its code. */
export async function insertCode(
  t: Service,
  org: Organization,
  settings: Settings = {},
  person = org.admin,
): Promise<Code> {
  const place = { userId: idOf(person), organizationId: org.id };
  const { grantId } = await insertGrant(t, { ...settings, ...place, redeemedAt: null });
  const code = appSecret("c");
  await t.sql(
    "INSERT INTO oauth_codes (token_hash, grant_id, code_challenge, expires_at) VALUES ($1, $2, $3, now() + interval '60 seconds')",
    [tokenHash(code), grantId, CHALLENGE],
  );
  return {
    grantId,
    code,
    verifier: VERIFIER,
    clientId: settings.oauthClientId ?? settings.clientId ?? AGENT,
  };
}

/** Registers a client of an organization that has a secret. */
export async function insertConfidential(t: Service, organizationId: string) {
  const secret = appSecret("s");
  return { id: await insertClient(t, { organizationId, redirectUris: [REDIRECT], secret }), secret };
}

export const codeFields = ({ code, verifier, clientId }: Code, more: Record<string, string> = {}) => ({
  grant_type: "authorization_code",
  client_id: clientId,
  code,
  code_verifier: verifier,
  redirect_uri: REDIRECT,
  ...more,
});
export const refreshFields = (refreshToken: string, more: Record<string, string> = {}) => ({
  grant_type: "refresh_token",
  client_id: AGENT,
  refresh_token: refreshToken,
  ...more,
});

export type Tokens = { access_token: string; refresh_token: string; expires_in: number; scope: string };

/** Sends a request to the token endpoint. */
export const token = (
  t: Pick<Service, "anonymous">,
  fields: Fields,
  options?: Parameters<typeof sendForm>[3],
) => sendForm(t, "/api/oauth/token", fields, options);

/** Inserts a grant and redeems its code. */
export async function connect(t: Service, org: Organization, settings: Settings = {}, person = org.admin) {
  const code = await insertCode(t, org, settings, person);
  const tokens: Tokens = expectStatus(await token(t, codeFields(code)), 200).body;
  return { ...code, tokens };
}

/** Returns the status of a request with an access token. */
export async function statusOf(t: Pick<Service, "anonymous">, accessToken: string, path = "/api/todos") {
  const caller = t.anonymous();
  caller.accessToken = accessToken;
  return (await caller.get(path)).status;
}

/** Starts a service whose token endpoint is tested, with an organization. */
export async function startTokenEndpoint() {
  const on = { OAUTH: "on", OAUTH_APPS: "any" };
  const t = await startService({ ...on, TRUST_PROXY: "1" });
  /** Each test has an address of its own, so that what it sends of unknown codes does not count for others. */
  let last = 0;
  function newAddress(): Record<string, string> {
    last += 1;
    return { "x-forwarded-for": `203.0.113.${last}` };
  }
  return {
    t,
    org: await createOrganization(t),
    newAddress,
    instance: (overrides: Record<string, string>) =>
      startService({ ...on, ...overrides }, { databaseUrl: t.databaseUrl }),
    refused: async (fields: Parameters<typeof token>[1], headers = newAddress()) =>
      refusal(await token(t, fields, { headers })),
  };
}

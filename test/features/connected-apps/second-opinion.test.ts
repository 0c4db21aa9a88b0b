import { afterAll, expect, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { appSecret } from "../../../src/core/access/token-forms.ts";
import { quietly } from "../../../src/dev/identity-provider.ts";
import {
  AGENT,
  basic,
  type Code,
  codeFields,
  connect,
  type Fields,
  insertCode,
  insertConfidential,
  refreshFields,
  refusal,
  token,
} from "../../support/app-codes.ts";
import { CHALLENGE, REDIRECT, VERIFIER } from "../../support/apps.ts";
import { createOrganization } from "../../support/organizations.ts";
import { startService } from "../../support/service.ts";

/*
 * A certified authorization server answers bad token requests with the same error and status as the service (rules 46.11). Where the
 * answers differ, `differs` says why.
 */

const t = await startService({ OAUTH: "on", OAUTH_APPS: "any", API_URL: "http://api.test" });
const org = await createOrganization(t);
const RESOURCE = "http://api.test/api";
const OTHER = "https://other.example.com/client.json";
const SCOPES = ["todos:read", "members:read"];

/** A token endpoint with what a request needs: codes and refresh tokens, and a client that has a secret. */
type Endpoint = {
  /** Returns status and error. */
  send(fields: Fields, headers?: Record<string, string>): Promise<string>;
  code(): Promise<Code>;
  refreshToken(): Promise<string>;
  confidential: { id: string; secret: string };
};

async function ours(): Promise<Endpoint> {
  return {
    async send(fields, headers = {}) {
      const response = await token(t, fields, { headers });
      return response.status === 200 ? "200" : refusal(response);
    },
    code: () => insertCode(t, org, { scopes: SCOPES }),
    refreshToken: async () => (await connect(t, org, { scopes: SCOPES })).tokens.refresh_token,
    confidential: await insertConfidential(t, org.id),
  };
}

async function theirs(): Promise<Endpoint> {
  const { default: OidcProvider } = await quietly(() => import("oidc-provider"));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const confidential = { id: crypto.randomUUID(), secret: appSecret("s") };
  const common = {
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code" as const],
  };
  const provider = await quietly(
    async () =>
      new OidcProvider(issuer, {
        clients: [
          ...[AGENT, OTHER].map((id) => ({
            ...common,
            client_id: id,
            token_endpoint_auth_method: "none" as const,
          })),
          { ...common, client_id: confidential.id, client_secret: confidential.secret },
        ],
        ttl: { AccessToken: 600, Grant: 600, RefreshToken: 600 },
        cookies: { long: { signed: false }, short: { signed: false } },
        findAccount: (_ctx, subject) => ({ accountId: subject, claims: () => ({ sub: subject }) }),
        features: {
          devInteractions: { enabled: false },
          resourceIndicators: {
            enabled: true,
            getResourceServerInfo: () => ({ scope: SCOPES.join(" "), accessTokenFormat: "opaque" }),
            useGrantedResource: () => true,
          },
        },
      }),
  );
  server.on("request", provider.callback());
  const granted = async () => {
    const grant = new provider.Grant({ accountId: "ada", clientId: AGENT });
    grant.addResourceScope(RESOURCE, SCOPES.join(" "));
    const client = await provider.Client.find(AGENT);
    if (client === undefined) throw new Error("The client is missing");
    const grantId = await grant.save();
    return { accountId: "ada", client, grantId, scope: SCOPES.join(" "), resource: RESOURCE };
  };
  return {
    async send(fields, headers = {}) {
      const response = await fetch(`${issuer}/token`, {
        method: "POST",
        body: typeof fields === "string" ? fields : new URLSearchParams(fields).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      });
      const { error = "" } = (await response.json()) as { error?: string };
      return `${response.status} ${error}`.trim();
    },
    async code() {
      const code = new provider.AuthorizationCode({
        ...(await granted()),
        redirectUri: REDIRECT,
        codeChallenge: CHALLENGE,
        codeChallengeMethod: "S256",
        gty: "authorization_code",
      } as never);
      return { grantId: "", code: await code.save(), verifier: VERIFIER, clientId: AGENT };
    },
    async refreshToken() {
      const refreshToken = new provider.RefreshToken({
        ...(await granted()),
        gty: "authorization_code",
        rotations: 0,
      } as never);
      return refreshToken.save();
    },
    confidential,
  };
}

const [service, provider] = await Promise.all([ours(), theirs()]);

type Request = (endpoint: Endpoint) => Promise<string>;
const sends =
  (fields: Fields, headers?: Record<string, string>): Request =>
  ({ send }) =>
    send(fields, headers);
/** Sends a good redemption of a code with something changed in it. */
const redeems =
  (change: Record<string, string>, more: [string, string][] = []): Request =>
  async ({ send, code }) =>
    send([...Object.entries(codeFields(await code(), change)), ...more]);
const refreshes =
  (change: Record<string, string>): Request =>
  async ({ send, refreshToken }) =>
    send(refreshFields(await refreshToken(), change));
const proves =
  (
    of: (client: Endpoint["confidential"]) => {
      fields?: Record<string, string>;
      headers?: Record<string, string>;
    },
  ): Request =>
  ({ send, confidential }) => {
    const { fields = {}, headers = {} } = of(confidential);
    return send({ grant_type: "refresh_token", refresh_token: appSecret("r"), ...fields }, headers);
  };

const ALIKE: Record<string, [Request, string]> = {
  "an empty form": [sends(""), "400 invalid_request"],
  "no client": [sends({ grant_type: "refresh_token", refresh_token: "x" }), "400 invalid_request"],
  "an unknown client": [
    sends({ client_id: crypto.randomUUID(), grant_type: "refresh_token", refresh_token: "x" }),
    "401 invalid_client",
  ],
  "no grant type": [sends({ client_id: AGENT }), "400 invalid_request"],
  "an unknown grant type": [
    sends({ client_id: AGENT, grant_type: "password" }),
    "400 unsupported_grant_type",
  ],
  "a repeated grant type": [redeems({}, [["grant_type", "refresh_token"]]), "400 invalid_request"],
  "a repeated code": [redeems({}, [["code", "x"]]), "400 invalid_request"],
  "no code": [sends({ client_id: AGENT, grant_type: "authorization_code" }), "400 invalid_request"],
  "a code of no form": [redeems({ code: "x" }), "400 invalid_grant"],
  "an unknown code": [redeems({ code: appSecret("c") }), "400 invalid_grant"],
  "a code of another client": [redeems({ client_id: OTHER }), "400 invalid_grant"],
  "another redirect": [redeems({ redirect_uri: `${REDIRECT}/` }), "400 invalid_grant"],
  "a wrong verifier": [redeems({ code_verifier: "a".repeat(43) }), "400 invalid_grant"],
  "a short verifier": [redeems({ code_verifier: "a".repeat(42) }), "400 invalid_request"],
  "a long verifier": [redeems({ code_verifier: "a".repeat(129) }), "400 invalid_request"],
  "a verifier with other characters": [redeems({ code_verifier: "+".repeat(43) }), "400 invalid_request"],
  "another resource": [redeems({ resource: "https://other.example/api" }), "400 invalid_target"],
  "a code that was redeemed": [
    async (endpoint) => {
      const fields = codeFields(await endpoint.code());
      expect(await endpoint.send(fields)).toBe("200");
      return endpoint.send(fields);
    },
    "400 invalid_grant",
  ],
  "no refresh token": [sends({ client_id: AGENT, grant_type: "refresh_token" }), "400 invalid_request"],
  "an unknown refresh token": [refreshes({ refresh_token: appSecret("r") }), "400 invalid_grant"],
  "a refresh token of another client": [refreshes({ client_id: OTHER }), "400 invalid_grant"],
  "a wider scope": [refreshes({ scope: "todos:read todos:write" }), "400 invalid_scope"],
  "a refresh token of another resource": [
    refreshes({ resource: "https://other.example/api" }),
    "400 invalid_target",
  ],
  "no secret": [proves(({ id }) => ({ fields: { client_id: id } })), "401 invalid_client"],
  "a wrong secret": [
    proves(({ id }) => ({ fields: { client_id: id, client_secret: appSecret("s") } })),
    "401 invalid_client",
  ],
  "a wrong secret by Basic": [
    proves(({ id }) => ({ headers: basic(id, appSecret("s")) })),
    "401 invalid_client",
  ],
  "a secret of a public client": [
    proves(() => ({ fields: { client_id: AGENT, client_secret: "s" } })),
    "401 invalid_client",
  ],
  "the secret in both ways": [
    proves(({ id, secret }) => ({
      fields: { client_id: id, client_secret: secret },
      headers: basic(id, secret),
    })),
    "400 invalid_request",
  ],
  "two clients": [
    proves(({ id, secret }) => ({ fields: { client_id: AGENT }, headers: basic(id, secret) })),
    "400 invalid_request",
  ],
  "a malformed header": [proves(() => ({ headers: { authorization: "Basic !" } })), "400 invalid_request"],
  "another scheme": [proves(() => ({ headers: { authorization: "Bearer x" } })), "400 invalid_request"],
};

test.each(Object.entries(ALIKE))(
  "a request with %s is answered alike (46.11)",
  async (_, [request, expected]) => {
    expect(await request(service)).toBe(expected);
    expect(await request(provider)).toBe(expected);
  },
);

type Difference = { request: Request; service: string; provider: string; because: string };
const DIFFERENT: Record<string, Difference> = {
  "no verifier": {
    request: redeems({ code_verifier: "" }),
    service: "400 invalid_request",
    provider: "400 invalid_grant",
    because: "a missing parameter is a malformed request, and spends no code",
  },
  "a JSON body": {
    request: sends(JSON.stringify({ client_id: AGENT }), { "content-type": "application/json" }),
    service: "415 invalid_request",
    provider: "400 invalid_request",
    because: "the status says what is wrong, as everywhere in the service",
  },
  "60 KB": {
    request: sends({ client_id: AGENT, grant_type: "x".repeat(60_000) }),
    service: "413 invalid_request",
    provider: "400 invalid_request",
    because: "the status says what is wrong, as everywhere in the service",
  },
};

test.each(Object.entries(DIFFERENT))(
  "a request with %s is answered differently, with a reason (46.11)",
  async (_, { request, ...answers }) => {
    expect([await request(service), await request(provider)]).toEqual([answers.service, answers.provider]);
    expect(answers.because.length).toBeGreaterThan(10);
  },
);

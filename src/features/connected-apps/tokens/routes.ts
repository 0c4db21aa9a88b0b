import type { z } from "zod";
import { ApiError, type Call, empty, fieldsBody, json, Router, route } from "#kit";
import { isUnavailable } from "#kit/inside";
import { oauthIsOn } from "../config.ts";
import { authenticateClient } from "./client.ts";
import { oauthError, oauthErrorOf, oauthErrorShape } from "./errors.ts";
import { assertForm, Fields } from "./fields.ts";
import type { Answer } from "./pair.ts";
import { redeem } from "./redeem.ts";
import { refresh } from "./refresh.ts";
import { revoke } from "./revoke.ts";
import { OAuthError, RevokeBody, TokenBody, TokenResponse } from "./schemas.ts";

const MAX_BYTES = 16 * 1024;

const refused = (description: string) => json(OAuthError, description);
const errors = {
  400: refused("Malformed, or refused: `error` says why"),
  401: refused(
    "The client is unknown, disabled or did not prove itself; `WWW-Authenticate` if it used Basic",
  ),
  408: refused("The body took too long to arrive"),
  413: refused("The body is larger than 16 KB"),
  415: refused("The body is not `application/x-www-form-urlencoded`"),
  429: refused("Too many codes, tokens, clients or secrets that do not exist, from one address"),
  500: refused("Something went wrong"),
  503: refused("The service is temporarily unavailable"),
};
/** The parts that both routes share: public, for pages of any origin, with errors in the shape of RFC 6749. */
const common = {
  method: "post",
  access: "public",
  existsIf: oauthIsOn,
  errorShape: oauthErrorShape,
  // Tokens in an address are ignored.
  acceptsAnyQuery: true,
  beforeBody: assertForm,
} as const;

const tokenRoute = route({
  ...common,
  operationId: "issueOAuthTokens",
  path: "/api/oauth/token",
  summary: "Exchange a code or a refresh token for tokens",
  description:
    "The token endpoint of OAuth 2.1. Errors have the shape of RFC 6749. A code works once, for 60 seconds; a refresh token is replaced at every use, and within 60 seconds the old one gets the same answer.",
  request: {
    body: fieldsBody(MAX_BYTES, TokenBody, {
      grant_type: "refresh_token",
      client_id: "https://claude.ai/oauth/claude-code-client-metadata",
      refresh_token: `mosr_${"0".repeat(46)}`,
    }),
  },
  responses: { 200: json(TokenResponse, "The tokens"), ...errors },
});

const revokeRoute = route({
  ...common,
  operationId: "revokeOAuthToken",
  path: "/api/oauth/revoke",
  summary: "Give back a token",
  description:
    "RFC 7009. A refresh token ends the connection of the app, an access token only itself. The answer is the same whatever the token is.",
  request: {
    body: fieldsBody(MAX_BYTES, RevokeBody, {
      client_id: "https://claude.ai/oauth/claude-code-client-metadata",
      token: `mosr_${"0".repeat(46)}`,
    }),
  },
  responses: { 200: empty("The token does not work anymore, or was none of this client"), ...errors },
});

const GRANTS = { authorization_code: redeem, refresh_token: refresh };
type GrantType = keyof typeof GRANTS;
const isGrantType = (text: string): text is GrantType => Object.hasOwn(GRANTS, text);

async function issue(call: Call, headers: Headers, fields: Fields): Promise<Answer> {
  const clientId = await authenticateClient(call, headers, fields);
  const grantType = fields.need("grant_type");
  if (!isGrantType(grantType)) throw oauthError("unsupported_grant_type");
  try {
    return await GRANTS[grantType](call, clientId, fields);
  } catch (error) {
    // The client may have ended with the grant, after it was judged: then the answer is that of a request after the end.
    if (error instanceof ApiError && error.code === "invalid_grant")
      await authenticateClient(call, headers, fields);
    throw error;
  }
}

/** Counts the outcome of a request for tokens. */
function count({ app }: Call, fields: Fields | null, outcome: string): void {
  const grant = fields?.get("grant_type") ?? "";
  app.meter.count("oauth_tokens_total", { grant: isGrantType(grant) ? grant : "other", outcome });
}

export const tokenRoutes = new Router("connected-apps")
  .openapi(tokenRoute, async (c) => {
    const { call, bytes } = c.var;
    let fields: Fields | null = null;
    try {
      fields = new Fields(bytes);
      const { body, grantId, outcome } = await issue(call, c.req.raw.headers, fields);
      c.get("request").grantId = grantId;
      count(call, fields, outcome);
      return c.json(body satisfies z.input<typeof TokenResponse>, 200);
    } catch (error) {
      const status = isUnavailable(error) ? 503 : 500;
      count(call, fields, oauthErrorOf(error instanceof ApiError ? error : new ApiError(status, "", "")));
      throw error;
    }
  })
  .openapi(revokeRoute, async (c) => {
    const fields = new Fields(c.var.bytes);
    await revoke(c.var.call, await authenticateClient(c.var.call, c.req.raw.headers, fields), fields);
    return c.body(null, 200);
  });

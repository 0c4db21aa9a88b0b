import { z } from "@hono/zod-openapi";
import { textExample } from "#kit";
import { EXAMPLES } from "#kit/inside";
import { OAUTH_ERRORS } from "./errors.ts";

const secretOf = (kind: string) => textExample(`mos${kind}_${"0".repeat(46)}`);
const client = {
  client_id: textExample("https://claude.ai/oauth/claude-code-client-metadata")
    .optional()
    .describe("The client, unless the `Authorization` header (Basic) names it."),
  client_secret: secretOf("s")
    .optional()
    .describe("The secret of a confidential client, unless the header has it."),
};

/** The parameters of the token endpoint. */
export const TokenBody = z
  .object({
    grant_type: z.enum(["authorization_code", "refresh_token"]).describe("What is exchanged for tokens."),
    ...client,
    code: secretOf("c").optional().describe("The code; with `authorization_code`."),
    code_verifier: textExample("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
      .optional()
      .describe("The verifier of the code's challenge; with `authorization_code`."),
    redirect_uri: textExample("http://127.0.0.1:33418/callback")
      .optional()
      .describe("Where the code was sent; if present, it must be the same."),
    refresh_token: secretOf("r").optional().describe("The refresh token; with `refresh_token`."),
    scope: textExample(EXAMPLES.scope)
      .optional()
      .describe(
        "With `refresh_token`: to what the access token is narrowed; by default all that was granted.",
      ),
    resource: textExample("https://api.example.com/mcp")
      .optional()
      .describe("The resource of the grant; another one is refused."),
  })
  .openapi("OAuthTokenRequest");

export const TokenResponse = z
  .object({
    access_token: secretOf("a").describe("The access token, for the resource of the grant."),
    token_type: z.literal("Bearer").describe("How the access token is sent."),
    expires_in: z.int().openapi({ example: 900 }).describe("How many seconds the access token still works."),
    refresh_token: secretOf("r").describe("The refresh token for the next access token."),
    scope: textExample(EXAMPLES.scopes).describe("What the access token allows, separated by spaces."),
  })
  .openapi("OAuthTokens");

/** The parameters of the revocation endpoint. */
export const RevokeBody = z
  .object({
    token: secretOf("r").describe("The refresh or access token."),
    token_type_hint: textExample("refresh_token")
      .optional()
      .describe("Ignored: the token itself says what it is."),
    ...client,
  })
  .openapi("OAuthRevocation");

/** An error (RFC 6749, 5.2). */
export const OAuthError = z
  .object({
    error: z.enum(OAUTH_ERRORS).describe("What is wrong, for programs."),
    error_description: textExample("The code or refresh token is not valid, or not for this client").describe(
      "The same for people, one sentence for each error.",
    ),
  })
  .openapi("OAuthError");

import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { stateCookie } from "../../../src/features/identities/state-cookie.ts";
import { environmentFor } from "../../support/environment.ts";
import type { HttpRequest } from "../world/requests.ts";

export const PROVIDER = "google";
const SECRETS = { state: "state", nonce: "nonce", verifier: "v".repeat(43) };
const cookies = stateCookie({
  jwtSecret: environmentFor("", 0).JWT_SECRET ?? "",
  jwtSecretPrevious: null,
  production: false,
});

/**
 * Starts an identity provider that implements only the last step: it exchanges a code, which contains the claims,
 * for an ID token.
 */
export async function startIdentityProvider() {
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  const keys = [{ ...(await exportJWK(publicKey)), alg: "RS256", use: "sig", kid: "race" }];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: {
      "/.well-known/openid-configuration": (): Response =>
        Response.json({
          ...{ issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` },
          authorization_endpoint: `${issuer}/authorize`,
          id_token_signing_alg_values_supported: ["RS256"],
        }),
      "/keys": (): Response => Response.json({ keys }),
      "/token": async (request): Promise<Response> => {
        const claims = JSON.parse(String((await request.formData()).get("code")));
        const token = new SignJWT({ ...claims, nonce: SECRETS.nonce, email_verified: true })
          .setProtectedHeader({ alg: "RS256", kid: "race" })
          .setIssuer(issuer)
          .setAudience("service")
          .setIssuedAt()
          .setExpirationTime("5m");
        const id_token = await token.sign(privateKey);
        return Response.json({ access_token: "a", token_type: "Bearer", id_token });
      },
    },
  });
  const issuer: string = `http://127.0.0.1:${server.port}`;
  return {
    issuer,
    environment: {
      OIDC_PROVIDERS: PROVIDER,
      OIDC_GOOGLE_ISSUER: issuer,
      OIDC_GOOGLE_CLIENT_ID: "service",
      OIDC_GOOGLE_CLIENT_SECRET: "secret",
      OIDC_GOOGLE_NAME: "Google",
    },
    stop: () => server.stop(true),
  };
}

/**
 * Returns the request by which the provider redirects a browser back.
 * @param link the account that is linking the identity, with the cookie of its session; undefined for a sign-in
 */
export function providerCallback(
  subject: string,
  email: string,
  link?: { id: string; cookie: string } | "",
): HttpRequest {
  const purpose = link ? { kind: "link" as const, userId: link.id } : { kind: "sign-in" as const };
  const [state] = cookies.set({ provider: PROVIDER, purpose, secrets: SECRETS }).split(";");
  const code = JSON.stringify({ sub: subject, email, given_name: "New", family_name: "Person" });
  return {
    method: "GET",
    path: `/api/auth/oidc/${PROVIDER}/callback?${new URLSearchParams({ code, state: SECRETS.state })}`,
    headers: { cookie: link ? `${state}; refresh_token=${link.cookie}` : (state ?? "") },
  };
}

import { LRUCache } from "lru-cache";
import { ApiError, type App, type Config, memoizePerApp } from "#kit";
import type { AuthorizationSecrets, OpenIdClient } from "../../platform/http/openid.ts";
import { type Answer, answerFrom } from "./answer.ts";
import type { Connection } from "./connection.ts";
import { isAllowedProvider } from "./issuer.ts";
import { callsOf } from "./provider-calls.ts";
import { connectionCipher } from "./secrets.ts";

/** The error for a provider that is unavailable, refuses the client, or whose answer is not valid. The cause is logged. */
export class ConnectionFailure extends Error {
  constructor(
    readonly code: "PROVIDER_ERROR" | "CLIENT_REFUSED",
    cause: unknown,
    /** Whether browsers caused it, not the provider: what one brought was refused, or too many came at once. */
    readonly isOfBrowser = false,
  ) {
    super("The identity provider of a connection failed", { cause });
  }
}

export const redirectUriOf = ({ apiUrl }: Pick<Config, "apiUrl">, id: string): string =>
  `${apiUrl}/api/auth/sso/${id}/callback`;

/** Returns the page of the console at which a sign-in by a connection begins: the address for a tile at the provider. */
export const startUrlOf = ({ appUrl }: Pick<Config, "appUrl">, id: string): string => `${appUrl}/sso/${id}`;

/** The package is large, and needed only where a connection is used. */
const openid = () => import("../../platform/http/openid.ts");

/** Runs calls to a provider; never while a transaction is open. @throws ConnectionFailure */
async function failing<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ConnectionFailure) throw error;
    const { isClientRefused, isResponseRefused } = await openid();
    const code = isClientRefused(error) ? "CLIENT_REFUSED" : "PROVIDER_ERROR";
    throw new ConnectionFailure(code, error, isResponseRefused(error) || isOverLimit(error));
  }
}

/** Whether a call was not made because too many were under way (rules 41.4). The package wraps what its `fetch` throws. */
const isOverLimit = (error: unknown): boolean =>
  error instanceof ApiError || (error instanceof Error && isOverLimit(error.cause));

type Client = Pick<Connection, "issuer" | "clientId" | "clientSecret">;

/** Loads a provider's metadata, and checks that it is complete and names exactly the issuer. */
async function discover(app: App, key: string, client: Client): Promise<OpenIdClient> {
  const { discoverClient } = await openid();
  const discovered = await discoverClient(client, callsOf(app, key));
  const server = discovered.serverMetadata();
  if (server.issuer !== client.issuer) throw new OtherIssuer();
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = server;
  for (const endpoint of [authorization_endpoint, token_endpoint, jwks_uri]) assertEndpoint(app, endpoint);
  if (userinfo_endpoint !== undefined) assertEndpoint(app, userinfo_endpoint);
  return discovered;
}

function assertEndpoint({ config }: App, text: string | undefined): void {
  const url = URL.parse(text ?? "");
  if (url === null || !isAllowedProvider(url, config))
    throw new Error("An endpoint is missing or not allowed");
}

class OtherIssuer extends Error {
  constructor() {
    super("The metadata names another issuer");
  }
}

/**
 * Asks an issuer for its metadata, for a connection that is made or changed. `key` limits the calls at once.
 * @returns what is wrong with the issuer, or null
 */
export async function issuerRefusal(app: App, key: string, issuer: string): Promise<string | null> {
  try {
    await discover(app, key, { issuer, clientId: "unknown", clientSecret: null });
    return null;
  } catch (error) {
    app.log.info("issuer refused", { err: error });
    return error instanceof OtherIssuer || isOtherIssuer(error)
      ? "must name itself as its issuer"
      : "must be a reachable OpenID provider";
  }
}

/** Whether the package found another issuer in the metadata. */
const isOtherIssuer = (error: unknown): boolean =>
  (error as { code?: string }).code === "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED";

const MAX_CLIENTS = 1_000;
const clientsOf = memoizePerApp(
  () => new LRUCache<string, () => Promise<OpenIdClient>>({ max: MAX_CLIENTS }),
);

/** Returns the client of a connection. Metadata and keys are kept for an hour, and not beyond a change of the connection. */
async function clientOf(
  app: App,
  { id, testedVersion, issuer, clientId, clientSecret: ciphertext }: Connection,
): Promise<OpenIdClient> {
  const clients = clientsOf(app);
  const key = `${id} ${testedVersion}`;
  const known = clients.get(key);
  if (known !== undefined) return known();
  const { rediscovering } = await openid();
  const clientSecret = ciphertext === null ? null : (connectionCipher(app).decrypt(ciphertext) as string);
  const made = rediscovering(() => discover(app, id, { issuer, clientId, clientSecret }));
  clients.set(key, made);
  return made();
}

/**
 * Starts an authorization at the provider of a connection: returns its URL and secrets. With `asksAgain`, the person must
 * authenticate again there. @throws ConnectionFailure
 */
export const beginAt = (
  app: App,
  connection: Connection,
  { asksAgain = false, loginHint = null }: { asksAgain?: boolean; loginHint?: string | null } = {},
): Promise<{ url: string; secrets: AuthorizationSecrets }> =>
  failing(async () => {
    const { beginAuthorization } = await openid();
    return beginAuthorization(await clientOf(app, connection), {
      callbackUrl: redirectUriOf(app.config, connection.id),
      scopes: connection.scopes,
      more: {
        ...(asksAgain && { prompt: "login", max_age: "0" }),
        ...(loginHint !== null && { login_hint: loginHint }),
      },
    });
  });

/** Exchanges the code in a callback's query for the provider's answer about the person. @throws ConnectionFailure */
export const finishAt = (
  app: App,
  connection: Connection,
  { query, secrets }: { query: string; secrets: AuthorizationSecrets },
): Promise<Answer> =>
  failing(async () => {
    const { exchangeCode } = await openid();
    const client = await clientOf(app, connection);
    const callbackUrl = redirectUriOf(app.config, connection.id);
    const { claims, userInfo } = await exchangeCode(client, { callbackUrl, query, secrets });
    if (claims.iss !== connection.issuer) throw new OtherIssuer();
    // Email, names and groups come from one source.
    const hasEmail = claims[connection.claims.email] != null;
    const further = hasEmail ? null : await userInfo().catch((error) => Promise.reject(asFailure(error)));
    return answerFrom(connection.claims, claims, further ?? claims);
  });

/** A refusal by userinfo is not one of the client. */
const asFailure = (error: unknown) => new ConnectionFailure("PROVIDER_ERROR", error);

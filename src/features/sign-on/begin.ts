import { type Call, email, notFound } from "#kit";
import { providerError } from "#kit/inside";
import { type Connection, findConnection } from "./connection.ts";
import { recordError } from "./failures.ts";
import { beginAt, ConnectionFailure, startUrlOf } from "./provider.ts";
import { type Purpose, stateCookie } from "./state-cookie.ts";

/** Where the browser goes, and the state cookie that the callback checks. */
export type Authorization = { url: string; cookie: string };

/** Starts an authorization at the provider of a connection. @throws ConnectionFailure */
export async function beginAuthorization(
  call: Call,
  connection: Connection,
  purpose: Purpose,
  loginHint: string | null = null,
): Promise<Authorization> {
  const asksAgain = purpose.kind === "reauthenticate";
  const { url, secrets } = await call.db.excludeFromDeadline(() =>
    beginAt(call.app, connection, { asksAgain, loginHint }),
  );
  const { id: connectionId, testedVersion: version, issuer } = connection;
  const state = { connectionId, version, issuer, purpose, secrets };
  return { url, cookie: stateCookie(call.app.config).set(state) };
}

/** Like `beginAuthorization`, for a caller who gets JSON. @throws providerError */
export const beginForCaller = (
  call: Call,
  connection: Connection,
  purpose: Purpose,
): Promise<Authorization> =>
  beginAuthorization(call, connection, purpose).catch((error) => {
    throw error instanceof ConnectionFailure ? providerError(error) : error;
  });

type Begun = Authorization | { page: string } | { error: "SSO_DISABLED" | "PROVIDER_ERROR" };

/**
 * Starts a sign-in. A browser that another site sent here goes to the page of the console first, so that no other site can
 * move somebody into an organization.
 * @throws notFound for a connection that nobody signs in by
 */
export async function beginSignIn(call: Call, id: string, request: Request): Promise<Begun> {
  const connection = await findConnection(call.db, id);
  if (connection === null || connection.status === "DRAFT") throw notFound();
  if (request.headers.get("sec-fetch-site") === "cross-site")
    return { page: startUrlOf(call.app.config, id) };
  if (connection.status === "DISABLED") return { error: "SSO_DISABLED" };
  const hint = new URL(request.url).searchParams.get("login_hint");
  try {
    const loginHint = email.safeParse(hint).data ?? null;
    return await beginAuthorization(call, connection, { kind: "sign-in" }, loginHint);
  } catch (error) {
    if (!(error instanceof ConnectionFailure)) throw error;
    logRefusal(call, connection, error);
    await recordError(call, connection.id, error.code, error);
    return { error: "PROVIDER_ERROR" };
  }
}

/** Logs why a provider failed. The browser gets an error code only. */
export const logRefusal = ({ log, requestId }: Call, { id }: Connection, err: ConnectionFailure): void =>
  log.warn("provider of a connection failed", { err, requestId, connectionId: id });

import { type Call, notFound } from "#kit";
import { signedIn, withoutSession } from "../identities/redirect.ts";
import { refreshTokenFrom } from "../sessions/cookie.ts";
import type { Answer } from "./answer.ts";
import { logRefusal } from "./begin.ts";
import { type Connection, findConnection, isAsItWas } from "./connection.ts";
import { recordProviderFailure, recordRefusal } from "./failures.ts";
import { failed, isRefused, type SsoResult } from "./outcome.ts";
import { ConnectionFailure, finishAt } from "./provider.ts";
import { reauthenticateBy } from "./reauthenticate.ts";
import { signInBy } from "./sign-in.ts";
import type { State } from "./state-cookie.ts";
import { finishTest, refuseTest } from "./testing.ts";

/**
 * Finishes a sign-in, a test or a re-authentication by a connection (rules 44.1). Accepts only the browser and the
 * connection with which the flow began. The provider is asked before any transaction begins.
 * @throws notFound for a connection that nobody signs in by, unless the flow began before
 */
export async function handleCallback(
  call: Call,
  { id, query, state }: { id: string; query: string; state: State | null },
  request: Request,
): Promise<SsoResult> {
  const connection = await findConnection(call.db, id);
  const parameters = new URLSearchParams(query);
  const isOurs = state?.connectionId === id && parameters.getAll("state").join() === state.secrets.state;
  const isTest = isOurs && state.purpose.kind === "test";
  if (!isTest && (connection === null || connection.status === "DRAFT")) {
    if (isOurs) return failed("SSO_DISABLED");
    throw notFound();
  }
  if (!isTest && connection?.status === "DISABLED") return failed("SSO_DISABLED");
  if (!isOurs) return failed("INVALID_STATE");
  const isUnchanged = isTest
    ? connection !== null && connection.testedVersion === state.version
    : isAsItWas(connection, state.version);
  if (connection === null || !isUnchanged) return failed("SSO_DISABLED");
  return finish(call, connection, { state, query, parameters }, refreshTokenFrom(request));
}

type Visit = { state: State; query: string; parameters: URLSearchParams };

async function finish(
  call: Call,
  connection: Connection,
  { state, query, parameters }: Visit,
  cookie: string | null,
): Promise<SsoResult> {
  const { purpose } = state;
  const refusal = (code: "ACCESS_DENIED" | "PROVIDER_ERROR" | "CLIENT_REFUSED") =>
    purpose.kind === "test" ? refuseTest(call, connection, state, purpose.testId, code) : null;
  if (parameters.getAll("error").join() === "access_denied")
    return (await refusal("ACCESS_DENIED")) ?? failed("ACCESS_DENIED");

  const answer = await ask(call, connection, { state, query });
  if (answer instanceof ConnectionFailure) {
    const { code, isOfBrowser } = answer;
    const tested = await refusal(code);
    if (tested !== null) return tested;
    await recordProviderFailure(call, connection, code, { isOfBrowser });
    return failed("PROVIDER_ERROR");
  }
  if (purpose.kind === "test") return finishTest(call, connection, state, purpose.testId, answer);
  if (purpose.kind === "reauthenticate") {
    const error = await reauthenticateBy(call, connection, { answer, cookie, ...purpose });
    return error === null
      ? withoutSession({ reauthenticated: `connection:${connection.id}` })
      : failed(error);
  }
  const outcome = await signInBy(call, { connection, answer, cookie });
  if (!isRefused(outcome)) return signedIn(call, outcome);
  await recordRefusal(call, connection, answer, outcome);
  return failed(outcome.refused);
}

/** Returns the answer of the provider, or its failure. */
async function ask(
  call: Call,
  connection: Connection,
  { state, query }: Pick<Visit, "state" | "query">,
): Promise<Answer | ConnectionFailure> {
  try {
    return await call.db.excludeFromDeadline(() =>
      finishAt(call.app, connection, { query, secrets: state.secrets }),
    );
  } catch (error) {
    if (!(error instanceof ConnectionFailure)) throw error;
    logRefusal(call, connection, error);
    return error;
  }
}

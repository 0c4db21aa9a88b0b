import type { Instance } from "../../support/cluster.ts";
import { addressOf } from "../../support/seeds.ts";
import { type HttpRequest, requestOf, type Sign, send } from "../world/requests.ts";
import { ACTIONS } from "./actions.ts";
import type { DatabaseState } from "./database-state.ts";
import { createWorld } from "./fixture.ts";
import type { StatementGate } from "./statement-gate.ts";

export type Scenario = {
  instances: Instance[];
  gates: StatementGate[];
  state: DatabaseState;
  sign: Sign;
  sql(text: string): Promise<Record<string, unknown>[]>;
  /** The issuer URL of the identity provider. */
  issuer: string;
  /** Returns the deadlocks since the last call, with their statements; null if the server's log cannot be read. */
  deadlocks(): Promise<string[] | null>;
};

/**
 * The result of a round: both responses, all rows afterwards, and (of a sequential round) the number of statements
 * of each call.
 */
export type RoundResult = { responses: string[]; rows: string[]; statements: number[] };

/**
 * A round: which of the two calls starts first, and the number of the statement before which each call stops (null:
 * it does not stop).
 */
export type Plan = { pair: [string, string]; first: 0 | 1; gates: [number | null, number | null] };

const BLOCKED_TIMEOUT_MS = 3_000;
/**
 * Deletes sessions that were started or refreshed while their organization ended. They may live until the next
 * refresh (rules 5.12), because ending an organization does not wait for sign-ins. After sequential calls there is
 * no such session, so they must not be compared.
 */
const DELETE_REMAINING_SESSIONS = `DELETE FROM refresh_tokens t USING organizations o
  WHERE o.id = t.organization_id AND (o.is_deleted OR o.status = 'SUSPENDED')`;

/**
 * Runs two calls one after the other, each on its own instance. Concurrent calls in this order must have the same
 * result.
 */
export async function runSequentially(
  scenario: Scenario,
  pair: [string, string],
  order: (0 | 1)[],
): Promise<RoundResult> {
  const calls = await prepare(scenario, pair);
  const responses: string[] = [];
  const statements: number[] = [];
  for (const index of order) {
    void scenario.gates[index]?.set();
    responses[index] = await calls.start(index);
    statements[index] = scenario.gates[index]?.statements ?? 0;
  }
  return {
    responses: comparable(pair, responses),
    rows: await scenario.state.read(calls.world),
    statements,
  };
}

/**
 * Runs two calls concurrently: the first up to its gate, then the second up to its gate or until it waits for a
 * lock. Then opens both gates.
 */
export async function runConcurrently(
  scenario: Scenario,
  { pair, first, gates }: Plan,
): Promise<RoundResult> {
  const calls = await prepare(scenario, pair);
  const second = first === 0 ? 1 : 0;
  const begin = (index: 0 | 1) => {
    const gate = scenario.gates[index] as StatementGate;
    const reached = gate.set(gates[index] ?? undefined);
    const response = calls.start(index);
    const isDone = response.then(() => {});
    return { response, gate, stopped: Promise.race([reached, isDone]), isDone };
  };
  const firstCall = begin(first);
  if (gates[first] !== null) await firstCall.stopped;
  const secondCall = begin(second);
  if (gates[first] !== null) await Promise.race([secondCall.stopped, waitForBlockedStatement(scenario)]);
  firstCall.gate.open();
  if (gates[second] !== null) await Promise.race([firstCall.isDone, waitForBlockedStatement(scenario)]);
  secondCall.gate.open();
  const [firstResponse, secondResponse] = await Promise.all([firstCall.response, secondCall.response]);
  const responses = first === 0 ? [firstResponse, secondResponse] : [secondResponse, firstResponse];
  await scenario.sql(DELETE_REMAINING_SESSIONS);
  return {
    responses: comparable(pair, responses),
    rows: await scenario.state.read(calls.world),
    statements: [],
  };
}

/** Writes that use the same signed challenge. At most one of two can succeed. */
const SHARED_CHALLENGE = new Set(["prove by passkey", "delete account by passkey"]);

const ENDS_CLIENT = new Set(["disable an app", "delete an app"]);
const GIVES_BACK = new Set(["give back an app's refresh token", "give back an app's access token"]);

/** Writes by apps. Their tokens are verified before the locks, so what ends meanwhile is refused in other words than what had ended. */
const BY_APP = new Set(["create unit by an app", "create todo by an app"]);
const REFUSED = /^(401 UNAUTHENTICATED|403 FORBIDDEN|404 NOT_FOUND)$/;

/**
 * Returns the responses in the form in which two rounds are compared. If one call deletes the account and uses the
 * challenge of the other, the other is rejected for whichever reason it meets first. An app is recognized before the locks: if it ends
 * after that, its token is unknown, and giving back an unknown token is no error.
 */
const comparable = (pair: [string, string], given: string[]): string[] => {
  const responses = given.map((response, index) =>
    BY_APP.has(pair[index] ?? "") && REFUSED.test(response) ? "refused" : response,
  );
  return pair.every((name) => SHARED_CHALLENGE.has(name))
    ? responses.map((response) =>
        /^(400 INVALID_PASSKEY|401 UNAUTHENTICATED)$/.test(response) ? "rejected" : response,
      )
    : pair.some((name) => ENDS_CLIENT.has(name))
      ? responses.map((response, index) =>
          !/^(400 invalid_grant|401 invalid_client)$/.test(response)
            ? response
            : GIVES_BACK.has(pair[index] ?? "")
              ? "200"
              : "rejected",
        )
      : responses;
};

async function prepare({ state, sql, instances, sign, issuer }: Scenario, pair: [string, string]) {
  await state.clear();
  const world = await createWorld(issuer);
  await world.rows.insert({ sql });
  return {
    world,
    start(index: 0 | 1): Promise<string> {
      const action = ACTIONS[pair[index]];
      if (action === undefined) throw new Error(`No action ${pair[index]}`);
      const request = typeof action === "function" ? action(world, sign) : requestOf(world, action);
      return perform(instances[index]?.url ?? "", addressOf(world.unique), request);
    },
  };
}

/** How long a client waits before it repeats a request whose idempotency key is in use. */
const IN_USE_MS = 50;

/**
 * Sends the request of a write to an instance. Repeats it while its idempotency key is in use, as clients do.
 * Returns the status, the error code, whether it set a cookie, and whether it is a stored response.
 */
async function perform(url: string, address: string, request: HttpRequest): Promise<string> {
  for (;;) {
    const { status, body, headers, cookie } = await send(url, address, request);
    const refusal = /#error=(\w+)/.exec(headers.get("location") ?? "")?.[1];
    // The endpoints of tokens have errors in the shape of RFC 6749.
    const code = status >= 400 ? (body.code ?? body.error) : refusal;
    if (code === "IDEMPOTENCY_KEY_IN_USE") {
      await Bun.sleep(IN_USE_MS);
      continue;
    }
    const replayed = headers.get("idempotent-replayed") === "true" ? " replayed" : "";
    return `${status}${code ? ` ${code}` : ""}${cookie ? " with a cookie" : ""}${replayed}`;
  }
}

/**
 * Resolves when a statement waits for a lock. Also resolves after a timeout, because a call can wait for something
 * else.
 */
async function waitForBlockedStatement({ sql }: Scenario): Promise<void> {
  const until = performance.now() + BLOCKED_TIMEOUT_MS;
  while (performance.now() < until) {
    const waiting = await sql(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' LIMIT 1",
    );
    if (waiting.length > 0) return;
    await Bun.sleep(2);
  }
}

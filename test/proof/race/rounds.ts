import type { Instance } from "../../support/cluster.ts";
import { addressOf } from "../../support/seeds.ts";
import { ACTIONS } from "./actions.ts";
import { perform, type Sign } from "./send.ts";
import type { State } from "./state.ts";
import type { StatementGate } from "./statement-gate.ts";
import { plantWorld } from "./world.ts";

export type Arena = {
  instances: Instance[];
  gates: StatementGate[];
  state: State;
  sign: Sign;
  sql(text: string): Promise<Record<string, unknown>[]>;
  /** The issuer of the identity provider. */
  issuer: string;
  /** The deadlocks since the last call, with their statements; null if the server's log cannot be read. */
  deadlocks(): Promise<string[] | null>;
};

/** What came of a round: both answers, and every row afterwards. */
export type Result = { answers: string[]; rows: string[]; statements: number[] };

/** Where each of the two calls stops for the other; null: nowhere. */
export type Plan = { pair: [string, string]; first: 0 | 1; gates: [number | null, number | null] };

const GIVE_UP_MS = 3_000;
/**
 * A session that begins or is refreshed while its organization ends may outlive it until its next refresh (rules 5.12):
 * who ends an organization does not wait for everybody who signs in. One after the other they leave none.
 */
const END_LEFT_SESSIONS = `DELETE FROM refresh_tokens t USING organizations o
  WHERE o.id = t.organization_id AND (o.is_deleted OR o.status = 'SUSPENDED')`;

/** One after the other, each on its instance: what the model says of this order. */
export async function inOrder(arena: Arena, pair: [string, string], order: (0 | 1)[]): Promise<Result> {
  const calls = await prepare(arena, pair);
  const answers: string[] = [];
  const statements: number[] = [];
  for (const index of order) {
    void arena.gates[index]?.set();
    answers[index] = await calls.start(index);
    statements[index] = arena.gates[index]?.statements ?? 0;
  }
  return { answers, rows: await arena.state.read(calls.world), statements };
}

/** Both at once: the first up to its gate, then the second up to its own or until it waits for a lock, then the rest. */
export async function atOnce(arena: Arena, { pair, first, gates }: Plan): Promise<Result> {
  const calls = await prepare(arena, pair);
  const second = first === 0 ? 1 : 0;
  const begin = (index: 0 | 1) => {
    const gate = arena.gates[index] as StatementGate;
    const reached = gate.set(gates[index] ?? undefined);
    const answer = calls.start(index);
    const isDone = answer.then(() => {});
    return { answer, gate, stopped: Promise.race([reached, isDone]), isDone };
  };
  const one = begin(first);
  if (gates[first] !== null) await one.stopped;
  const other = begin(second);
  if (gates[first] !== null) await Promise.race([other.stopped, isSomebodyWaiting(arena)]);
  one.gate.open();
  if (gates[second] !== null) await Promise.race([one.isDone, isSomebodyWaiting(arena)]);
  other.gate.open();
  const [answerOfOne, answerOfOther] = await Promise.all([one.answer, other.answer]);
  const answers = first === 0 ? [answerOfOne, answerOfOther] : [answerOfOther, answerOfOne];
  await arena.sql(END_LEFT_SESSIONS);
  return { answers, rows: await arena.state.read(calls.world), statements: [] };
}

async function prepare({ state, sql, instances, sign, issuer }: Arena, pair: [string, string]) {
  await state.clear();
  const { rows, world } = await plantWorld(issuer);
  await rows.insert({ sql });
  return {
    world,
    start(index: 0 | 1): Promise<string> {
      const send = ACTIONS[pair[index]]?.(world, sign);
      if (send === undefined) throw new Error(`No action ${pair[index]}`);
      return perform(instances[index]?.url ?? "", addressOf(world.unique), send);
    },
  };
}

/** Settles when a statement waits for a lock, or after a while: some calls wait for something else. */
async function isSomebodyWaiting({ sql }: Arena): Promise<void> {
  const until = performance.now() + GIVE_UP_MS;
  while (performance.now() < until) {
    const waiting = await sql(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' LIMIT 1",
    );
    if (waiting.length > 0) return;
    await Bun.sleep(2);
  }
}

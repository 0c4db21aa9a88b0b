import type { ReceivedMail } from "../../../src/dev/inbox.ts";
import type { Payments } from "../../../src/dev/payments.ts";
import type { Random } from "../../support/image-mutations.ts";
import type { Client } from "./client.ts";
import type { Person } from "./people.ts";

/** An effect that was asked for: `isSure` when the answer said that it took place. */
export type Effect = {
  kind: "todo" | "unit" | "role" | "message" | "notification";
  text: string;
  isSure: boolean;
};

export type Workplace = {
  client: Client;
  sql: (text: string) => Promise<Record<string, unknown>[]>;
  people: Person[];
  payments: Payments;
  mails: ReceivedMail[];
  effects: Effect[];
  /** Ids that answers brought, by kind. */
  known: { todos: Map<Person, string[]>; tickets: { id: string; by: Person }[] };
  accepted: Set<string>;
  /** What is held while somebody works on it alone. */
  held: Set<unknown>;
  /** What work has found to be wrong. */
  found: string[];
};

/** One piece of work: who does what is chosen by the seed alone, what it is done to by what is there. */
export type Work = (w: Workplace, random: Random, text: string) => Promise<void>;

export const pick = <T>(random: Random, all: T[]): T | undefined => all[random(all.length)];
export const being = (w: Workplace, random: Random, ...roles: Person["role"][]) =>
  pick(
    random,
    w.people.filter(({ role }) => roles.includes(role)),
  ) as Person;
export const ANYBODY: Person["role"][] = ["ORG_ADMIN", "UNIT_ADMIN", "MEMBER"];

/** Works on something alone, or not at all where another is at it. */
export async function alone(w: Workplace, thing: unknown, work: () => Promise<void>): Promise<void> {
  if (w.held.has(thing)) return;
  w.held.add(thing);
  await work().finally(() => w.held.delete(thing));
}

/** A request that creates something, which is remembered as an effect with its text. */
export async function create(
  w: Workplace,
  random: Random,
  person: Person,
  { path, body, effect }: { path: string; body: unknown; effect: Omit<Effect, "isSure"> },
  refused: number[] = [],
) {
  const answer = await w.client.send(person, random(1_000), { method: "POST", path, body }, [
    201,
    ...refused,
  ]);
  const isRefused = answer.status >= 400 && answer.status < 500;
  if (!isRefused) w.effects.push({ ...effect, isSure: answer.status === 201 });
  return answer;
}

/** Pieces of work with their weights. */
export type Weighted = [weight: number, work: Work][];

import type { ReceivedMail } from "../../../src/dev/inbox.ts";
import type { Payments } from "../../../src/dev/payments.ts";
import type { Random } from "../../support/image-mutations.ts";
import type { Client } from "./client.ts";
import type { Person } from "./people.ts";

/** A record that a request created; `isConfirmed` if the response was 201, so that it must exist. */
export type Effect = {
  kind: "todo" | "unit" | "role" | "message" | "notification";
  text: string;
  isConfirmed: boolean;
};

export type WorkContext = {
  client: Client;
  sql: (text: string) => Promise<Record<string, unknown>[]>;
  people: Person[];
  payments: Payments;
  mails: ReceivedMail[];
  effects: Effect[];
  /** Ids that responses contained, by kind of record. */
  known: { todos: Map<Person, string[]>; tickets: { id: string; by: Person }[] };
  accepted: Set<string>;
  /** Sessions and records that one work item uses exclusively. */
  locked: Set<unknown>;
  /** Violations that work items have found. */
  violations: string[];
};

/** A work item. The seed chooses the person and the action; the records are chosen among those that exist. */
export type Work = (w: WorkContext, random: Random, text: string) => Promise<void>;

export const pick = <T>(random: Random, all: T[]): T | undefined => all[random(all.length)];
export const pickPerson = (w: WorkContext, random: Random, ...roles: Person["role"][]) =>
  pick(
    random,
    w.people.filter(({ role }) => roles.includes(role)),
  ) as Person;
export const MEMBERS: Person["role"][] = ["ORG_ADMIN", "UNIT_ADMIN", "MEMBER"];

/** Runs work on a thing, or does nothing if other work on it is running. */
export async function exclusively(w: WorkContext, thing: unknown, work: () => Promise<void>): Promise<void> {
  if (w.locked.has(thing)) return;
  w.locked.add(thing);
  await work().finally(() => w.locked.delete(thing));
}

/** Sends a request that creates a record, and adds its effect. */
export async function create(
  w: WorkContext,
  random: Random,
  person: Person,
  { path, body, effect }: { path: string; body: unknown; effect: Omit<Effect, "isConfirmed"> },
  refused: number[] = [],
) {
  const response = await w.client.send(person, random(1_000), { method: "POST", path, body }, [
    201,
    ...refused,
  ]);
  const isRefused = response.status >= 400 && response.status < 500;
  if (!isRefused) w.effects.push({ ...effect, isConfirmed: response.status === 201 });
  return response;
}

/** Kinds of work with their weights: a kind with more weight runs more often. */
export type Weighted = [weight: number, work: Work][];

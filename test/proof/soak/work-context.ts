import type { ReceivedMail } from "../../../src/dev/inbox.ts";
import type { Payments } from "../../../src/dev/payments.ts";
import type { Random } from "../../support/image-mutations.ts";
import { type ApiResponse, type Client, NO_RESPONSE, type Request } from "./client.ts";
import type { Person } from "./people.ts";

/** A record that a request created. `isConfirmed` means that the response was 201, so the record must exist. */
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
  /** The ids that responses contained, by kind of record. */
  known: { todos: Map<Person, string[]>; tickets: { id: string; by: Person }[] };
  /** The number of requests that were repeated with their `Idempotency-Key`, and of those that then succeeded. */
  repeats: { sent: number; succeeded: number };
  accepted: Set<string>;
  /** Sessions and records that one work item uses exclusively. */
  locked: Set<unknown>;
  /** Violations that work items have found. */
  violations: string[];
};

/** A work item. The seed chooses the person and the action. Records are chosen among those that exist. */
export type Work = (w: WorkContext, random: Random, text: string) => Promise<void>;

export const pick = <T>(random: Random, all: T[]): T | undefined => all[random(all.length)];
export const pickPerson = (w: WorkContext, random: Random, ...roles: Person["role"][]) =>
  pick(
    random,
    w.people.filter(({ role }) => roles.includes(role)),
  ) as Person;
export const MEMBERS: Person["role"][] = ["ORG_ADMIN", "UNIT_ADMIN", "MEMBER"];

/** Sends a request as a random person of one of these roles, to a random instance. */
export const sendAs = (
  w: WorkContext,
  random: Random,
  roles: Person["role"][],
  request: Request,
  expected: number[] = [200],
): Promise<ApiResponse> => w.client.send(pickPerson(w, random, ...roles), random(1_000), request, expected);

/** Work that reads one of these paths. */
export const reading =
  (roles: Person["role"][], paths: string[]): Work =>
  async (w, random) =>
    void (await sendAs(w, random, roles, { method: "GET", path: pick(random, paths) ?? "" }));

/** Runs work that needs exclusive use of something, such as a record. Does nothing if other work on it is running. */
export async function exclusively(w: WorkContext, thing: unknown, work: () => Promise<void>): Promise<void> {
  if (w.locked.has(thing)) return;
  w.locked.add(thing);
  await work().finally(() => w.locked.delete(thing));
}

/**
 * How often a request is repeated with its `Idempotency-Key`, and the first pause. Each pause is twice as long as
 * the one before.
 */
const MAX_REPEATS = 5;
const FIRST_PAUSE_MS = 500;

/**
 * Sends a request that creates a record, and adds its effect. Half of the requests have an `Idempotency-Key`. They
 * are repeated after a lost response or a 5xx, at any instance: the record must then exist exactly once.
 */
export async function create(
  w: WorkContext,
  random: Random,
  person: Person,
  { path, body, effect }: { path: string; body: unknown; effect: Omit<Effect, "isConfirmed"> },
  refused: number[] = [],
) {
  const key = random(2) === 0 ? crypto.randomUUID() : null;
  const headers: Record<string, string> = key === null ? {} : { "idempotency-key": key };
  // A 409 means that the request is still running at another instance, or that its claim has not ended.
  const expected = [201, ...refused, ...(key === null ? [] : [IN_USE])];
  const send = () => w.client.send(person, random(1_000), { method: "POST", path, body, headers }, expected);
  let response = await send();
  for (let repeats = 0; key !== null && isUnknown(response) && repeats < MAX_REPEATS; repeats += 1) {
    await Bun.sleep(FIRST_PAUSE_MS * 2 ** repeats);
    response = await send();
    w.repeats.sent += 1;
    if (response.status === 201) w.repeats.succeeded += 1;
  }
  if (
    response.status === IN_USE &&
    response.body.code !== "IDEMPOTENCY_KEY_IN_USE" &&
    !refused.includes(IN_USE)
  )
    w.violations.push(`POST ${path} was refused with ${response.body.code}`);
  const isRefused = response.status >= 400 && response.status < 500 && response.status !== IN_USE;
  if (!isRefused) w.effects.push({ ...effect, isConfirmed: response.status === 201 });
  return response;
}

const IN_USE = 409;

/** Whether it is unknown if a request took effect. A client then repeats the request. */
const isUnknown = ({ status, body }: ApiResponse) =>
  status === NO_RESPONSE || status >= 500 || body.code === "IDEMPOTENCY_KEY_IN_USE";

/** Kinds of work with their weights. A kind with more weight runs more often. */
export type Weighted = [weight: number, work: Work][];

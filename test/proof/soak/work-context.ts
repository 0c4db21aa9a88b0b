import type { ReceivedMail } from "../../../src/dev/inbox.ts";
import type { Payments } from "../../../src/dev/payments.ts";
import type { Random } from "../../support/image-mutations.ts";
import type { HttpRequest, HttpResponse } from "../world/requests.ts";
import { type Client, NO_RESPONSE } from "./client.ts";
import type { Person, Role, SoakWorld } from "./people.ts";

/** A record that a request created. `isConfirmed` means that the response was 201, so the record must exist. */
export type Effect = {
  kind: "todo" | "unit" | "role" | "message" | "notification";
  text: string;
  isConfirmed: boolean;
};

export type WorkContext = {
  client: Client;
  sql: (text: string) => Promise<Record<string, unknown>[]>;
  worlds: SoakWorld[];
  people: Person[];
  payments: Payments;
  mails: ReceivedMail[];
  effects: Effect[];
  /** The number of requests that were repeated with their `Idempotency-Key`, and of those that then succeeded. */
  repeats: { sent: number; succeeded: number };
  /** Mailed links that were opened. */
  accepted: Set<string>;
  /** Sessions and records that one work item uses exclusively. */
  locked: Set<unknown>;
  /** Violations that work items have found. */
  violations: string[];
};

/** A work item. The seed chooses the person and the action. Records are chosen among those that exist. */
export type Work = (w: WorkContext, random: Random, text: string) => Promise<unknown>;
/** Kinds of work with their weights. A kind with more weight runs more often. */
export type Weighted = [weight: number, work: Work][];

export const pick = <T>(random: Random, all: T[]): T | undefined => all[random(all.length)];
export const pickPerson = (w: WorkContext, random: Random, ...roles: Role[]) =>
  pick(
    random,
    w.people.filter(({ role }) => roles.includes(role)),
  ) as Person;
export const MEMBERS: Role[] = ["ORG_ADMIN", "UNIT_ADMIN", "MEMBER"];

/** Runs work that needs exclusive use of something, such as a record. Does nothing if other work on it is running. */
export async function exclusively(
  w: WorkContext,
  thing: unknown,
  work: () => Promise<unknown>,
): Promise<void> {
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
const IN_USE = 409;

/**
 * Sends a request that creates a record, and adds its effect. Half of the requests have an `Idempotency-Key`. They
 * are repeated after a lost response or a 5xx, at any instance: the record must then exist exactly once.
 */
export async function create(
  w: WorkContext,
  random: Random,
  person: Person,
  request: HttpRequest,
  effect: Omit<Effect, "isConfirmed">,
  refused: number[] = [],
): Promise<HttpResponse> {
  const key = random(2) === 0 ? crypto.randomUUID() : null;
  const headers = { ...request.headers, ...(key !== null && { "idempotency-key": key }) };
  // A 409 means that the request is still running at another instance, or that its claim has not ended.
  const expected = [201, ...refused, ...(key === null ? [] : [IN_USE])];
  const send = () => w.client.send(person, random(1_000), { ...request, headers }, expected);
  let response = await send();
  for (let repeats = 0; key !== null && isUnknown(response) && repeats < MAX_REPEATS; repeats += 1) {
    await Bun.sleep(FIRST_PAUSE_MS * 2 ** repeats);
    response = await send();
    w.repeats.sent += 1;
    if (response.status === 201) w.repeats.succeeded += 1;
  }
  if (response.status === IN_USE && !isUnknown(response) && !refused.includes(IN_USE))
    w.violations.push(`POST ${request.path} was refused with ${response.body.code}`);
  addEffect(w, effect, response);
  return response;
}

/** Adds an effect that must exist if it is confirmed, and may exist if it is unknown whether the request took effect. */
export function addEffect(
  w: WorkContext,
  effect: Omit<Effect, "isConfirmed">,
  { status }: HttpResponse,
): void {
  if (status < 400 || status >= 500 || status === IN_USE)
    w.effects.push({ ...effect, isConfirmed: status === 201 });
}

/** Whether it is unknown if a request took effect. A client then repeats the request. */
const isUnknown = ({ status, body }: HttpResponse) =>
  status === NO_RESPONSE || status >= 500 || body.code === "IDEMPOTENCY_KEY_IN_USE";

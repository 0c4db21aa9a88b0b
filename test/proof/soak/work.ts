import { type Random, randomOf } from "../../support/image-mutations.ts";
import { PASSWORD } from "../world/world.ts";
import { BILLING_WORK } from "./work-billing.ts";
import { MEMBERS, pickPerson, type Weighted, type Work, type WorkContext } from "./work-context.ts";
import { RECORD_WORK } from "./work-records.ts";
import { SEAT_WORK } from "./work-seats.ts";
import { SESSION_WORK } from "./work-sessions.ts";

/** An incomplete export must not look complete. */
const exportEvents: Work = async (w, random) => {
  const admin = pickPerson(w, random, "ORG_ADMIN");
  const [{ events } = { events: 0 }] = await w.sql(
    `SELECT count(*)::int AS events FROM audit_events WHERE organization_id = '${admin.world.ids.org}'`,
  );
  const path = "/api/organization/audit-events/export?format=ndjson&order=asc";
  const { status, text } = await w.client.send(admin, random(1_000), { method: "GET", path }, [200, 429]);
  const lines = text.split("\n").length - 1;
  if (status === 200 && (lines < Number(events) || !text.endsWith("\n")))
    w.violations.push(`an export with 200 has ${lines} events, there are ${events}`);
};
/** A ZIP archive cannot be opened if its end, the central directory, is missing. */
const exportProfile: Work = async (w, random) => {
  const request = { method: "POST", path: "/api/profile/export", body: { password: PASSWORD } };
  const person = pickPerson(w, random, ...MEMBERS);
  const { status, text } = await w.client.send(person, random(1_000), request, [200, 429]);
  if (status === 200 && !text.slice(-100).includes("PK\u0005\u0006"))
    w.violations.push("an archive of personal data with 200 has no end");
};

const WORK: Weighted = [
  ...[...RECORD_WORK, ...SESSION_WORK, ...SEAT_WORK, ...BILLING_WORK],
  ...([
    [3, exportEvents],
    [1, exportProfile],
  ] satisfies Weighted),
];
const TOTAL = WORK.reduce((sum, [weight]) => sum + weight, 0);

/** Runs one work item, chosen by the seed. */
export async function doRandomWork(w: WorkContext, random: Random, text: string): Promise<void> {
  let left = random(TOTAL);
  for (const [weight, work] of WORK) {
    left -= weight;
    if (left < 0) return void (await work(w, random, text));
  }
}

/**
 * Starts every kind of work at random times within a period, so that a fault affects all kinds. Kinds with more
 * weight start more often.
 */
export const startAllWork = (
  w: WorkContext,
  random: Random,
  text: string,
  withinMs: number,
): Promise<unknown>[] =>
  WORK.flatMap(([weight, work], kind) =>
    Array.from({ length: Math.ceil(weight / 5) }, async (_, index) => {
      const own = randomOf(random(1e9));
      await Bun.sleep(own(withinMs));
      await work(w, own, `${text} ${kind} ${index}`);
    }),
  );

/** Runs every kind of work once, so that a run on a slow machine includes each kind. */
export async function doAllWork(w: WorkContext, random: Random, text: string): Promise<void> {
  for (const [index, [, work]] of WORK.entries()) await work(w, random, `${text} ${index}`);
}

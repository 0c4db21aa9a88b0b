import type { Service } from "../../support/service.ts";
import { fingerprint } from "./closed.ts";
import { remember } from "./memory.ts";
import { type Finding, judge } from "./oracles.ts";
import { type Provider, prepare } from "./preparation.ts";
import { probe } from "./probes.ts";
import type { Plan } from "./requests.ts";
import { type Answer, requestOf, type SignEvent, sendPatiently } from "./send.ts";
import { createWorld, type World } from "./world.ts";

/** A sequence of requests on a world of its own. */
export type Case = { isProviderAway: boolean; hasPlatformAdmin: boolean; plans: Plan[] };

export type Tested = {
  t: Service;
  sign: SignEvent;
  provider: Provider;
  failPayments(isAway: boolean): void;
};

/** Counts of a run. */
export type Figures = { requests: number; statuses: Map<number, number>; reached: Map<string, number> };

/**
 * Sends a case's requests one after the other, each answer judged; afterwards nobody may have changed the organization
 * that nobody of the callers may write in.
 */
export async function runCase(
  tested: Tested,
  { isProviderAway, hasPlatformAdmin, plans }: Case,
  figures: Figures,
): Promise<Finding | null> {
  const { t, sign, failPayments } = tested;
  const world = await createWorld(t);
  const sent = new Set<string>();
  failPayments(isProviderAway);
  const before = await closedRows(t, world);
  const lines: string[] = [];
  for (const plan of plans) {
    if (plan.caller === "platformAdmin" && !hasPlatformAdmin) continue;
    await prepare(plan, world, tested);
    const request = requestOf(plan, world, sign);
    lines.push(request.line);
    const answer = await sendPatiently(t.url, request);
    figures.requests += 1;
    figures.statuses.set(answer.status, (figures.statuses.get(answer.status) ?? 0) + 1);
    if (isSuccess(answer))
      figures.reached.set(plan.operation, (figures.reached.get(plan.operation) ?? 0) + 1);
    const finding = judge(plan, request, answer, world, { isProviderAway, sent });
    if (finding !== null) return finding;
    const asked = await probe(plan, request, answer, world, t.url);
    if (asked !== null) return asked;
    remember(plan, world, answer);
  }
  if (hasPlatformAdmin) return null;
  const after = await closedRows(t, world);
  const changed = Object.keys(before).filter((table) => before[table] !== after[table]);
  if (changed.length === 0) return null;
  const rows = changed.map((table) => `${table} was\n${before[table]}\n    and is\n${after[table]}`);
  return {
    kind: "changed",
    what: `Nobody may change the closed organization: ${rows.join("\n")}`.slice(0, 3000),
  };
}

/** A redirect of a provider succeeds where it leads to it, or back with something else than an error. */
const isSuccess = ({ status, headers }: Answer) =>
  status < 300 || (status === 302 && !headers.get("location")?.includes("#error="));

const closedRows = (t: Service, world: World) =>
  fingerprint(t, world.organizations.closed.id, world.people.reader);

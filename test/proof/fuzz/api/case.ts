import type { Service } from "../../../support/service.ts";
import { fingerprint } from "./closed.ts";
import { unwritten } from "./echo.ts";
import { givenUnheld } from "./escalation.ts";
import { toldOfExistence } from "./existence.ts";
import { wrongList } from "./lists.ts";
import { remember } from "./memory.ts";
import { type Finding, judge } from "./oracles.ts";
import { wrongPair } from "./pairs.ts";
import { anothersRecord } from "./persons.ts";
import { type Provider, prepare } from "./preparation.ts";
import { hiddenItem, undeleted, wrongCount, wrongExport, wrongPage } from "./probes.ts";
import { outOfReach } from "./reach.ts";
import { wrongRecipient } from "./recipients.ts";
import type { Plan } from "./requests.ts";
import { type Answer, requestOf, type Sent, type SignEvent, sendPatiently } from "./send.ts";
import { livingSession, unnoticedReuse } from "./sessions.ts";
import { rowsBefore, wrongChange } from "./watch.ts";
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

/** A finding with its cause: its kind and operation. */
export type Found = Finding & { cause: string };

/**
 * Sends a case's requests one after the other and judges each response. Afterwards the organization in which no caller may write
 * must be unchanged.
 * @param isNew whether to report findings of a cause; others are ignored, and the case continues
 */
export async function runCase(
  tested: Tested,
  { isProviderAway, hasPlatformAdmin, plans }: Case,
  figures: Figures,
  isNew: (cause: string) => boolean,
): Promise<Found | null> {
  const { t, sign, failPayments } = tested;
  const world = await createWorld(t);
  const sent = new Set<string>();
  failPayments(isProviderAway);
  const before = await closedRows(t, world);
  for (const plan of plans) {
    if (plan.caller === "platformAdmin" && !hasPlatformAdmin) continue;
    await prepare(plan, world, tested);
    const request = requestOf(plan, world, sign);
    const rows = await rowsBefore(plan, world, t);
    const since = Date.now();
    const answer = await sendPatiently(t.url, request);
    figures.requests += 1;
    figures.statuses.set(answer.status, (figures.statuses.get(answer.status) ?? 0) + 1);
    if (isSuccess(answer))
      figures.reached.set(plan.operation, (figures.reached.get(plan.operation) ?? 0) + 1);
    const finding =
      judge(plan, request, answer, world, { isProviderAway, sent }) ??
      (await wrongChange(plan, request, answer, rows, world, t)) ??
      (await givenUnheld(plan, request, answer, t, since)) ??
      (await wrongRecipient(plan, request, answer, t, since)) ??
      (await toldOfExistence(
        plan,
        request,
        answer,
        world,
        () => requestOf(plan, world, sign, true),
        t.url,
      )) ??
      (await probe(plan, request, answer, world, t));
    const cause = `${finding?.kind} ${plan.operation}`;
    if (finding !== null && isNew(cause)) return { ...finding, cause };
    remember(plan, world, answer);
  }
  const ofWorld = "changed closed organization";
  if (hasPlatformAdmin || !isNew(ofWorld)) return null;
  const after = await closedRows(t, world);
  const changed = (Object.keys(before) as (keyof typeof before)[]).filter(
    (table) => before[table] !== after[table],
  );
  if (changed.length === 0) return null;
  const rows = changed.map((table) => `${table} was\n${before[table]}\n    and is\n${after[table]}`);
  return {
    kind: "changed",
    cause: ofWorld,
    what: `Nobody may change the closed or the suspended organization: ${rows.join("\n")}`.slice(0, 3000),
  };
}

/** What is wrong with what an answer leads to. */
async function probe(
  plan: Plan,
  request: Sent,
  answer: Answer,
  world: World,
  t: Service,
): Promise<Finding | null> {
  if (answer.status >= 300) return null;
  return (
    (await outOfReach(plan, request, answer, t)) ??
    (await anothersRecord(plan, request, answer, t)) ??
    (await wrongPage(plan, request, answer, t.url)) ??
    (await wrongList(plan, request, answer, t.url)) ??
    (await wrongPair(plan, request, answer, world, t.url)) ??
    (await wrongExport(request, answer, t.url)) ??
    (await hiddenItem(plan, request, answer, t.url)) ??
    (await undeleted(plan, request, t.url)) ??
    (await unwritten(plan, request, answer, t.url)) ??
    (await wrongCount(plan, request, answer, t.url)) ??
    (await livingSession(plan, request, answer, world, t.url)) ??
    (await unnoticedReuse(plan, request, answer, t.url))
  );
}

/** A redirect of a provider succeeds where it leads to it, or back with something else than an error. */
const isSuccess = ({ status, headers }: Answer) =>
  status < 300 || (status === 302 && !headers.get("location")?.includes("#error="));

/** In a suspended organization nobody gives or takes permissions (rules 10.9); what a member does about themselves is left out. */
const FROZEN = [
  "organizations",
  "units",
  "roles",
  "memberships",
  "membership_assignments",
  "user_invitations",
];

async function closedRows(t: Service, { organizations: { closed, suspended }, people }: World) {
  const frozen = await fingerprint(t, suspended.id, people.suspended);
  return {
    ...(await fingerprint(t, closed.id, people.reader)),
    ...Object.fromEntries(FROZEN.map((table) => [`${table} of the suspended one`, frozen[table]])),
  };
}

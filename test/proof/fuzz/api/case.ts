import type { DnsServer } from "../../../../src/dev/dns/server.ts";
import type { Service } from "../../../support/service.ts";
import type { SsoProvider } from "../../../support/sso-provider.ts";
import { checkApproval, checkShownOrganizations, checkTokens } from "./apps-checks.ts";
import { checkChanges, rowsBefore } from "./changes.ts";
import { checkBound, checkConnectionSignIn, checkCounts, checkSetup, noteOwnProof } from "./connections.ts";
import { type Check, changedTables, changesOf, type Exchange, type Finding } from "./exchange.ts";
import { checkExistenceDisclosure } from "./existence.ts";
import { checkFilterPairs } from "./filter-pairs.ts";
import { createFixture, type Fixture } from "./fixture.ts";
import { checkReplay, isReplay } from "./idempotency.ts";
import { checkList } from "./lists.ts";
import { operationSet } from "./operations.ts";
import { checkResponse } from "./oracles.ts";
import { checkPersonalRecords } from "./personal-records.ts";
import { type Provider, prepare } from "./preparation.ts";
import { checkDeletion, checkExport, checkFirstItem, checkPageSize, checkUnreadCount } from "./probes.ts";
import type { Receiver } from "./receiver.ts";
import { checkRecipients } from "./recipients.ts";
import { recordResponse } from "./recorded-responses.ts";
import type { RequestPlan } from "./requests.ts";
import { type ApiResponse, buildRequest, type SignEvent, sendWithRetries } from "./send.ts";
import { checkTokenReuse } from "./sessions.ts";
import { readTableRows } from "./table-rows.ts";
import { checkWrite } from "./writes.ts";

/** The checks of every response, and those of successful ones. Those of stored responses end with their records. */
const CHECKS = [
  checkConnectionSignIn,
  checkBound,
  checkResponse,
  checkChanges,
  checkRecipients,
  checkExistenceDisclosure,
];
const CHECKS_OF_SUCCESS = [
  ...[
    checkPageSize,
    checkList,
    checkFilterPairs,
    checkExport,
    checkFirstItem,
    checkDeletion,
    checkWrite,
    checkUnreadCount,
  ],
  ...[checkTokenReuse, checkReplay, checkSetup, checkCounts],
  ...[checkShownOrganizations, checkApproval, checkTokens],
];

/** A sequence of requests with its own fixture of data. */
export type Case = { isProviderAway: boolean; hasPlatformAdmin: boolean; plans: RequestPlan[] };

/** The service under test, with mocks of the identity and payment providers. */
export type Target = {
  t: Service;
  sign: SignEvent;
  provider: Provider;
  receiver: Receiver;
  /** The provider of the connections of organizations, and the DNS server that is asked for domains. */
  sso: SsoProvider;
  dns: DnsServer;
  failPayments(isAway: boolean): void;
};

/** The number of requests of a run, and of responses by status. */
export type RunCounts = { requests: number; statuses: Map<number, number>; succeeded: Map<string, number> };

/**
 * A finding and its cause. The cause consists of the finding's kind and the operation; each cause is reported once.
 */
export type CausedFinding = Finding & { cause: string };

/**
 * Sends the requests of a case one after the other and checks each response. At the end it checks that the organization in which
 * no caller may write is unchanged.
 * @param isNew whether to report findings of a cause; other findings are ignored, and the case continues
 */
export async function runCase(
  target: Target,
  { isProviderAway, hasPlatformAdmin, plans }: Case,
  counts: RunCounts,
  isNew: (cause: string) => boolean,
): Promise<CausedFinding | null> {
  const { t, sign, failPayments } = target;
  const fixture = await createFixture(t, target.receiver, target.sso);
  const sentIds = new Set<string>();
  failPayments(isProviderAway);
  const before = await readProtectedRows(t, fixture);
  let hasEndedRoles = false;
  for (const plan of plans) {
    if (plan.caller === "platformAdmin" && !hasPlatformAdmin) continue;
    await prepare(plan, fixture, target);
    const request = buildRequest(plan, fixture, sign);
    const [rows, since] = [await rowsBefore(plan, fixture, t), new Date()];
    const response = await sendWithRetries(t.url, request);
    counts.requests += 1;
    counts.statuses.set(response.status, (counts.statuses.get(response.status) ?? 0) + 1);
    if (isSuccess(response))
      for (const name of namesOf(plan)) counts.succeeded.set(name, (counts.succeeded.get(name) ?? 0) + 1);
    if (isSuccess(response) && ENDS_ROLES.has(plan.operation)) hasEndedRoles = true;
    noteOwnProof(plan, fixture, response.status);
    const finding = await firstFinding({
      ...{ plan, request, response, fixture, t, since, rows, isProviderAway, sentIds },
      withUnknownId: () => buildRequest(plan, fixture, sign, true),
    });
    const cause = `${finding?.kind} ${plan.operation}`;
    if (finding !== null && isNew(cause)) return { ...finding, cause };
    recordResponse(plan, fixture, response);
  }
  const pushed = await target.receiver.check(fixture);
  if (pushed !== null && isNew("leak webhooks")) return { ...pushed, cause: "leak webhooks" };
  const cause = "changed closed organization";
  if (hasPlatformAdmin || !isNew(cause)) return null;
  const after = await readProtectedRows(t, fixture);
  const changed = changedTables(before, after).filter(
    (table) => !hasEndedRoles || table !== ROLES_OF_SUSPENDED,
  );
  const what = `Nobody may change the closed or the suspended organization: ${changesOf(changed, before, after)}`;
  return changed.length === 0 ? null : { kind: "changed", cause, what };
}

async function firstFinding(exchange: Exchange): Promise<Finding | null> {
  const { response } = exchange;
  const ofSuccess: Check[] = [checkPersonalRecords, ...(isReplay(response) ? [] : CHECKS_OF_SUCCESS)];
  for (const check of response.status < 300 ? [...CHECKS, ...ofSuccess] : CHECKS) {
    const finding = await check(exchange);
    if (finding !== null) return finding;
  }
  return null;
}

export const BY_PASSKEY = " by passkey";

/** Returns the names under which a successful request is counted: a passkey in the body is counted separately. */
function namesOf({ operation, body }: RequestPlan): string[] {
  const isByPasskey = body.kind === "json" && Object(body.value).passkey !== undefined;
  return isByPasskey ? [operation, operation + BY_PASSKEY] : [operation];
}

/** A redirect of a sign-in by a provider succeeds unless its location has an error. */
const isSuccess = ({ status, headers }: ApiResponse) =>
  status < 300 || (status === 302 && !headers.get("location")?.includes("#error="));

/**
 * Tables with the permissions of a suspended organization, which nobody may change (rules 10.9). The rows of its
 * own caller are left out.
 */
const FROZEN_TABLES = [
  ...["organizations", "units", "roles", "memberships", "membership_assignments", "user_invitations"],
];

/**
 * What gives roles to the people of a group is deleted in a suspended organization, too, and the roles go with it or become roles by hand
 * (rules 41.8, 41.11).
 */
const ENDS_ROLES = operationSet("deleteSsoMapping", "deleteConnection");
const ROLES_OF_SUSPENDED = "membership_assignments of the suspended one";

/** Reads the rows that no caller may change: those of the closed organization, and the permissions in the suspended one. */
async function readProtectedRows(t: Service, { organizations: { closed, suspended }, userIds }: Fixture) {
  const rows = await readTableRows(t, closed.id, userIds.reader);
  const frozen = await readTableRows(t, suspended.id, userIds.suspended);
  for (const table of FROZEN_TABLES) rows[`${table} of the suspended one`] = frozen[table] ?? "";
  return rows;
}

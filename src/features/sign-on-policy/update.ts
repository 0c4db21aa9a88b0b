import type { z } from "zod";
import {
  audit,
  authorizeIn,
  changedFields,
  conflict,
  exactlyOne,
  forbidden,
  type OrganizationCall,
  type Tx,
  transaction,
  validationFailed,
} from "#kit";
import { ssoHoursOf } from "#kit/inside";
import * as queries from "#sql/sign-on-policy";
import { planFeatureRequired } from "../../core/access/errors.ts";
import {
  breakGlassRequired,
  connectionNotTested,
  domainNotVerified,
} from "../../core/access/sign-on-errors.ts";
import { hasFeature } from "../../core/plans/effective-plan.ts";
import { decide, isTighter, type Wanted } from "./decide.ts";
import { findPolicy, listBreakGlass, showPolicy } from "./read.ts";
import type { UpdateSignOnPolicyBody } from "./schemas.ts";
import { tellOfAnnouncement } from "./tell.ts";

type Body = z.output<typeof UpdateSignOnPolicyBody>;

/**
 * Changes the sign-on policy (rules 43). What is tighter is announced and holds later; what is looser holds at once.
 * @throws forbidden for platform administrators, except for `{ scope: "off" }` alone, and for break-glass members without
 * `SingleSignOn.Bypass`; conflict for another version, or a required second factor that the caller has not shown; planFeatureRequired;
 * validationFailed, connectionNotTested, domainNotVerified, breakGlassRequired
 */
export async function updatePolicy(call: OrganizationCall, body: Body) {
  return transaction(call, async (tx) => {
    const { organizationId } = tx;
    const { permissions } = await authorizeIn(
      tx,
      "SingleSignOn.Update",
      isTurningOff(body) ? { worksInSuspended: true } : {},
    );
    if (tx.actor.isPlatformAdmin && !isTurningOff(body)) throw forbidden();
    const given = body.breakGlassUserIds;
    if (given !== undefined && !permissions.holdsEverywhere(["SingleSignOn.Bypass"])) throw forbidden();
    const before = await findPolicy(tx.db, organizationId);
    const wanted = decide(before, body, new Date());
    await refuseStrangers(tx, given ?? []);
    if (isTighter(before, wanted) && !(await hasFeature(tx, organizationId, "sso")))
      throw planFeatureRequired("sso");
    if (body.version !== undefined && body.version !== before.version) throw conflict();
    const listed = await listBreakGlass(tx.db, organizationId);
    if (given !== undefined)
      await queries.replaceBreakGlassMembers.run({ organizationId, userIds: given }, tx.db);
    await assertReady(tx, body);
    await assertGlassLeft(tx, wanted);

    const ids = listed.map(({ id }) => id);
    const after =
      given === undefined ? ids : (await listBreakGlass(tx.db, organizationId)).map(({ id }) => id);
    const changed = changedFields(
      { ...metadataOf(before), breakGlassUserIds: ids.sort() },
      { ...metadataOf(wanted), breakGlassUserIds: after.sort() },
    );
    if (changed === null) return showPolicy(tx.db, organizationId);
    await save(tx, wanted);
    await audit(tx, "SIGN_ON_POLICY_CHANGED", {
      organizationId,
      target: { type: "organization", id: organizationId },
      metadata: changed,
    });
    if (wanted.announced !== null && "announced" in changed.to && isADayAhead(wanted.announced.enforceFrom))
      await tellOfAnnouncement(tx, { organizationId, ...wanted.announced });
    return showPolicy(tx.db, organizationId);
  });
}

/** Whether a change does nothing but free everybody, which works in a suspended organization and for platform administrators. */
const isTurningOff = (body: Body): boolean => body.scope === "off" && Object.keys(body).length === 1;

const DAY_MS = 86_400_000;
const isADayAhead = (time: Date) => time.getTime() - Date.now() >= DAY_MS;

const metadataOf = ({
  scope,
  requireTwoFactor,
  announced,
  maxSessionHours,
  reauthenticationMinutes,
}: Wanted) => ({
  ...{ scope, requireTwoFactor, maxSessionHours, reauthenticationMinutes },
  announced: announced && { ...announced, enforceFrom: announced.enforceFrom.toISOString() },
});

const save = ({ db, organizationId }: Tx<OrganizationCall>, { announced, ...now }: Wanted) =>
  queries.savePolicy.run(
    {
      organizationId,
      ...now,
      announcedScope: announced?.scope ?? null,
      announcedTwoFactor: announced?.requireTwoFactor ?? null,
      enforceFrom: announced?.enforceFrom ?? null,
    },
    db,
  );

/** @throws validationFailed for break-glass members who are no members */
async function refuseStrangers(
  { db, organizationId }: Tx<OrganizationCall>,
  userIds: string[],
): Promise<void> {
  if (userIds.length === 0) return;
  const members = await queries.listMembersAmong.run({ organizationId, userIds }, db);
  const problems = userIds.flatMap((id, index) => {
    const path = `breakGlassUserIds.${index}`;
    return members.some(({ userId }) => userId === id) ? [] : [{ path, message: `${path} must be a member` }];
  });
  if (problems.length > 0) throw validationFailed(problems);
}

/** What a scope other than `off` and a required second factor ask of the caller (rules 43). */
async function assertReady(tx: Tx<OrganizationCall>, { scope, requireTwoFactor }: Body): Promise<void> {
  const { actor, organizationId } = tx;
  const asksForSso = scope !== undefined && scope !== "off";
  if (actor.type !== "user" || !(asksForSso || requireTwoFactor)) return;
  const { userId, sessionId } = actor;
  const caller = { organizationId, userId, sessionId, ssoHours: ssoHoursOf(tx.app.config) };
  const ready = exactlyOne(await queries.findReadiness.run(caller, tx.db));
  if (asksForSso) {
    if (!ready.isTested) throw connectionNotTested();
    if (!ready.hasDomain) throw domainNotVerified();
    const listed = await listBreakGlass(tx.db, organizationId);
    const isListed = listed.some(({ id }) => id === userId);
    if (!listed.every(({ isUsable }) => isUsable) || !isListed || !ready.hasTwoFactors)
      throw breakGlassRequired();
  }
  if (requireTwoFactor && ready.acr !== "2") throw conflict();
}

/** While somebody is bound, or will be, a usable break-glass member must remain. @throws breakGlassRequired */
async function assertGlassLeft({ db, organizationId }: Tx<OrganizationCall>, wanted: Wanted): Promise<void> {
  const isAsked = wanted.scope !== "off" || (wanted.announced?.scope ?? "off") !== "off";
  if (isAsked && !(await listBreakGlass(db, organizationId)).some(({ isUsable }) => isUsable))
    throw breakGlassRequired();
}

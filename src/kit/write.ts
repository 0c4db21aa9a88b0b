/* A write: one transaction, authorized under locks, at most once for an Idempotency-Key. */

export { idempotent, idempotentInSteps } from "../core/api/idempotent.ts";
export {
  assertHeld,
  assertHeldEverywhere,
  assertStillPlatformAdmin,
  authorize,
  authorizeIn,
  authorizePlatformAdmin,
} from "../core/authorize/authorize.ts";
export { assertNoPrivilegeEscalation } from "../core/authorize/escalation.ts";
export { lockOrganization, lockOrganizationShared, lockOrganizations } from "../core/locks.ts";
export { violatedConstraint } from "../platform/db/failures.ts";
export { dryRun, savepoint } from "../platform/db/parts.ts";
export { exactlyOne, type Queryable } from "../platform/db/prepared-query.ts";
export { transaction } from "../platform/db/transaction.ts";

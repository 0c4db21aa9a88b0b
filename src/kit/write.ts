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
export { assertMayAct, connectionFor } from "../core/authorize/block.ts";
export { assertNoPrivilegeEscalation, gainsPermission } from "../core/authorize/escalation.ts";
export { assertOwnProof, lacksOwnProof, listWaysToProve } from "../core/authorize/recent-proof.ts";
export {
  deleteKeysOf,
  deleteKeysOfOrganization,
  type KeyedCall,
  type LastStep,
} from "../core/idempotency/responses.ts";
export {
  lockEmail,
  lockEmails,
  lockForAcceptance,
  lockOrganization,
  lockOrganizationOfInvitation,
  lockOrganizationOfKey,
  lockOrganizationShared,
  lockOrganizations,
  lockPlatform,
  lockUsers,
} from "../core/locks.ts";
export { allSettledOrThrow } from "../platform/db/all-settled-or-throw.ts";
export { isInvalidParameter, isUnavailable, violatedConstraint } from "../platform/db/failures.ts";
export { dryRun, savepoint } from "../platform/db/parts.ts";
export { exactlyOne, type Queryable } from "../platform/db/prepared-query.ts";
export { serializationFailure, singleStatement, transaction } from "../platform/db/transaction.ts";

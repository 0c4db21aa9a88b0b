/*
 * What a feature imports from the service: README.md explains each word. Features import nothing else from core and platform
 * but the rooms that README.md names.
 */

// reach: the units in which the caller holds a permission.
export {
  type BuiltInRole,
  builtInRoles,
  inCatalogOrder,
  isKnownPermission,
  MEMBER,
  ORG_ADMIN,
  type Permission,
  permissionNames,
  permissions,
} from "../core/access/catalog.ts";
export type { ConfirmedPermissions, EffectivePermissions } from "../core/access/effective-permissions.ts";
// errors: by code.
export {
  forbidden,
  organizationIsSuspended,
  permissionNotHeld,
  unauthenticated,
  unitForbidden,
} from "../core/access/errors.ts";
// route: a route with its access, errors and limits.
export { type Filters, filteredUnits, reach, reachAmong } from "../core/access/filter.ts";
export {
  areWithin,
  asReachUnits,
  type ConfirmedReach,
  isUnrestricted,
  isWithin,
  NO_UNITS,
  type Reach,
  type ReachUnits,
  restrictReach,
  unitIdsOf,
  unrestricted,
} from "../core/access/reach.ts";
// feature: what the service knows of a feature.
export { feature } from "../core/api/feature.ts";
export { idsOfHeader } from "../core/api/id-headers.ts";
export { idempotent, idempotentInSteps } from "../core/api/idempotent.ts";
export { list, organizationScope } from "../core/api/list.ts";
// list: a page of rows with its total.
export {
  filter,
  flag,
  idFilter,
  intersection,
  listQuery,
  pageOf,
  pageSize,
  peopleSearch,
  search,
  sorting,
  unpagedList,
  unpagedListQuery,
} from "../core/api/paging.ts";
export { empty, form, json, jsonBody, raw, rawBody, route } from "../core/api/route.ts";
export { Router } from "../core/api/router.ts";
// write: one transaction of a call.
export {
  assertHeld,
  assertHeldEverywhere,
  assertStillPlatformAdmin,
  authorize,
  authorizeIn,
  authorizePlatformAdmin,
} from "../core/authorize/authorize.ts";
export type { Config } from "../core/config.ts";
// The call that a service serves, and its transaction.
export {
  type App,
  type AuthenticatedCall,
  type Call,
  type CrossOrganizationCall,
  type MachineCall,
  type OrganizationCall,
  type Service,
  type SignedInCall,
  systemCall,
  type Tx,
} from "../core/context.ts";
// fields: schemas of fields.
export { deferred } from "../core/definitions/deferred.ts";
export { declared } from "../core/definitions/features.ts";
export {
  checkEvenIfFieldsFail,
  email,
  language,
  longText,
  pathId,
  singleLine,
  textExample,
  timestamp,
  uuid,
} from "../core/definitions/fields.ts";
export type { LimitEntry } from "../core/definitions/plan-names.ts";
// audit, event, notify, mail: effects that commit with the transaction.
export { audit, auditAfterCommit, auditBestEffort, auditEach } from "../core/effects/audit.ts";
export {
  type AuditEntry,
  addedAndRemoved,
  changeOf,
  fromTo,
  named,
  nothing,
  provider,
  roleGrants,
  via,
} from "../core/effects/audit-entry.ts";
export { changedFields } from "../core/effects/changed-fields.ts";
export {
  organizationStatus,
  RoleEntry,
  ticketCategory,
  ticketStatus,
  UnitEntry,
} from "../core/effects/entries.ts";
export { event } from "../core/effects/event.ts";
export type { EventType } from "../core/effects/event-types.ts";
export { type MailTemplate, mail } from "../core/effects/mail.ts";
export { preventAutolinks } from "../core/effects/mail-names.ts";
export { notify, notifyAll } from "../core/effects/notify.ts";
export { tokenLink } from "../core/effects/token-links.ts";
export type { LastStep } from "../core/idempotency/responses.ts";
export {
  lockEmail,
  lockEmails,
  lockOrganization,
  lockOrganizationOfInvitation,
  lockOrganizationOfKey,
  lockOrganizations,
  lockPlatform,
  lockUsers,
} from "../core/locks.ts";
export { memoizePerApp } from "../core/memoize-per-app.ts";
export { number, type OverviewPart, type Period, series, seriesOf } from "../core/overview.ts";
export {
  afterCreated,
  FROM_OLDEST,
  jsonOfPages,
  NO_ID,
  organizationOf,
  type PersonalFile,
} from "../core/personal-data.ts";
export { planLimitReached } from "../core/plans/errors.ts";
// limit: the plan's limit, counted under the organization's lock.
export { assertBelow, assertWithinLimit, findLimit } from "../core/plans/limits.ts";
export { exactlyOne, type Queryable } from "../platform/db/prepared-query.ts";
export { transaction } from "../platform/db/transaction.ts";
export {
  ApiError,
  conflict,
  defineError,
  notFound,
  providerError,
  serviceUnavailable,
  sizeLimitReached,
  tooManyRequests,
  validationFailed,
} from "../platform/errors.ts";
export { fromStored, type Language, toStored } from "../platform/i18n/languages.ts";
export type { Job, JobKind } from "../platform/jobs/queue.ts";

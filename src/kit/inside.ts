/* What only the service's own features need. It may change without notice; a feature of a product imports `#kit` alone. */

export { clientNotApproved, insufficientScope } from "../core/access/app-errors.ts";
export {
  type BuiltInRole,
  builtInRoles,
  isKnownPermission,
  permissionNames,
} from "../core/access/catalog.ts";
export { appNotAllowed } from "../core/access/errors.ts";
export { errorResponse } from "../core/api/error-response.ts";
export { inputReader } from "../core/api/input.ts";
export { openApiDocument } from "../core/api/openapi.ts";
export { exampleOf, type JsonSchema } from "../core/api/openapi-examples.ts";
export type { RequestBindings, RequestContext } from "../core/api/request-context.ts";
export type { RouteDefinition } from "../core/api/route.ts";
export { definitionsOf, routesOf } from "../core/api/router.ts";
export type { CallerKind } from "../core/api/steps/authenticate.ts";
export { isHeld, permissionsOf, scopeMissing } from "../core/api/steps/check-access.ts";
export { ownTools, TOOL_NAMES, type ToolCall } from "../core/api/tool.ts";
export { variantsOf } from "../core/api/variants.ts";
export { assertMayAct, connectionFor } from "../core/authorize/block.ts";
export { gainsPermission } from "../core/authorize/escalation.ts";
export {
  assertOwnProof,
  lacksOwnProof,
  listWaysToProve,
  ssoHoursOf,
} from "../core/authorize/recent-proof.ts";
export { assertStillHeld, assertStillPlatformAdminNow } from "../core/authorize/still-held.ts";
export type { AppCall, ProductCall } from "../core/context.ts";
export { EXAMPLES } from "../core/definitions/examples.ts";
export type { AllOf } from "../core/definitions/features.ts";
export { overlapSeconds } from "../core/definitions/fields.ts";
export { featureNames, type LimitName, limitNames, planLimits } from "../core/definitions/plan-names.ts";
export { auditAfterCommit, auditBestEffort } from "../core/effects/audit.ts";
export {
  type AuditAction,
  type AuditTargetType,
  auditActions,
  endedApps,
  onlyEndedApps,
  roleGrants,
  type ShownMetadata,
  targetTypes,
  type UntargetedAction,
  via,
} from "../core/effects/audit-entry.ts";
export { withoutUndefined } from "../core/effects/changed-fields.ts";
export {
  bySetupLink,
  changedVia,
  organizationStatus,
  TICKET_CATEGORIES,
  TICKET_STATUSES,
  ticketCategory,
  ticketStatus,
} from "../core/effects/entries.ts";
export { eventTypeNames } from "../core/effects/event-types.ts";
export { FEED_TYPES, feedEntry, isFollowed } from "../core/effects/feed-entry.ts";
export { toAccount } from "../core/effects/mail.ts";
export { preventAutolinks } from "../core/effects/mail-names.ts";
export {
  type NotificationData,
  type NotificationType,
  notificationTypes,
} from "../core/effects/notification-types.ts";
export { relayNotifier, startLoop } from "../core/effects/notifier.ts";
export { notifyInOwnTransaction } from "../core/effects/notify.ts";
export { MAX_MAILS_AN_HOUR, type ReportedBy, reportOfProduct } from "../core/effects/of-product.ts";
export { isRoleHeld, isUnitHeld, withEndedApps } from "../core/ends.ts";
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
  lockOrganizationOfInvitation,
  lockOrganizationOfKey,
  lockPlatform,
  lockUsers,
} from "../core/locks.ts";
export { productText as textOfProduct, theProduct } from "../core/manifest/current.ts";
export { linkOf, shownOfProduct, wordsOf } from "../core/manifest/fill.ts";
export type { Product, Text } from "../core/manifest/schema.ts";
export { urlConflict } from "../core/manifest/warnings.ts";
export { organizationOf } from "../core/personal-data.ts";
export { readSignedToken, signToken } from "../core/signed-tokens.ts";
export { canonicalJson } from "../platform/canonical-json.ts";
export { createCipher, WrongEncryptionKeyError } from "../platform/crypto.ts";
export { allSettledOrThrow } from "../platform/db/all-settled-or-throw.ts";
export { isInvalidParameter, isUnavailable } from "../platform/db/failures.ts";
export { serializationFailure, singleStatement } from "../platform/db/transaction.ts";
export { asciiDomain, type Domains, domainOf } from "../platform/domains.ts";
export {
  isListOf,
  isUrl,
  missingVariables,
  type RawEnvironment,
  rejectUnchangedPreviousKey,
  warnOfPreviousKey,
} from "../platform/environment.ts";
export { type ErrorShape, malformedJson, providerError, unsupportedMediaType } from "../platform/errors.ts";
export { fromStored, toStored } from "../platform/i18n/languages.ts";
export { type Rekeyed, rekeyRows } from "../platform/jobs/rekey.ts";
export type { Level } from "../platform/limits/permits.ts";
export { rateLimitField, windowsOf } from "../platform/limits/rate.ts";
export { isLoopback } from "../platform/loopback.ts";
export { version } from "../platform/version.ts";
export type { ZipFile } from "../platform/zip.ts";

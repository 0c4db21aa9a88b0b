/* Effects that commit with the transaction: audit, event, notification, mail. */

export { audit, auditAfterCommit, auditBestEffort, auditEach } from "../core/effects/audit.ts";
export {
  type AuditAction,
  type AuditEntry,
  type AuditTargetType,
  addedAndRemoved,
  auditActions,
  changeOf,
  endedApps,
  fromTo,
  named,
  nothing,
  onlyEndedApps,
  provider,
  roleGrants,
  type ShownMetadata,
  targetTypes,
  type UntargetedAction,
  via,
} from "../core/effects/audit-entry.ts";
export { changedFields } from "../core/effects/changed-fields.ts";
export {
  bySetupLink,
  changedVia,
  organizationStatus,
  RoleEntry,
  TICKET_CATEGORIES,
  TICKET_STATUSES,
  ticketCategory,
  ticketStatus,
  UnitEntry,
} from "../core/effects/entries.ts";
export { event, eventEach } from "../core/effects/event.ts";
export { type EventType, eventTypeNames, eventTypes } from "../core/effects/event-types.ts";
export { FEED_ONLY_TYPES, FEED_TYPES, feedEntry, isFollowed } from "../core/effects/feed-entry.ts";
export { findRecipient, type MailTemplate, mail } from "../core/effects/mail.ts";
export { preventAutolinks } from "../core/effects/mail-names.ts";
export {
  type NotificationData,
  type NotificationType,
  notificationTypes,
} from "../core/effects/notification-types.ts";
export { Notifier, relayNotifier, startLoop } from "../core/effects/notifier.ts";
export { notify, notifyAll, notifyInOwnTransaction } from "../core/effects/notify.ts";
export { MAX_MAILS_AN_HOUR, type ReportedBy, reportOfProduct } from "../core/effects/of-product.ts";
export { tokenLink } from "../core/effects/token-links.ts";

/* Effects that commit with the transaction: audit, event, notification, mail. */

export { audit, auditEach } from "../core/effects/audit.ts";
export {
  type AuditEntry,
  addedAndRemoved,
  changeOf,
  fromTo,
  named,
  nothing,
  provider,
} from "../core/effects/audit-entry.ts";
export { changedFields } from "../core/effects/changed-fields.ts";
export { RoleEntry, UnitEntry } from "../core/effects/entries.ts";
export { event, eventEach } from "../core/effects/event.ts";
export { type EventType, eventsAbout, eventTypes } from "../core/effects/event-types.ts";
export { findRecipient, type MailTemplate, mail } from "../core/effects/mail.ts";
export { Notifier } from "../core/effects/notifier.ts";
export { notify, notifyAll } from "../core/effects/notify.ts";
export { tokenLink } from "../core/effects/token-links.ts";

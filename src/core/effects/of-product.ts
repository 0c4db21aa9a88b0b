import * as effects from "#sql/effects";
import { fromStored } from "../../platform/i18n/languages.ts";
import type { Tx } from "../context.ts";
import { lockUsers } from "../locks.ts";
import { theProduct } from "../manifest/current.ts";
import { shownOfProduct } from "../manifest/notification.ts";
import type { Product } from "../manifest/schema.ts";
import { mail } from "./mail.ts";
import { relayNotifier } from "./notifier.ts";

/* What a product whose code runs elsewhere reports: names of its manifest, which the caller has checked. */

/** Who did it, and what the product saw of the request; a null id is the product itself. */
export type ReportedBy = {
  organizationId: string;
  actorId: string | null;
  isMachine: boolean;
  ip: string | null;
  requestId: string | null;
};
/** Which unit administrators may read it: those of the unit, those of the units of the person, or none. */
type Reached = { unitId: string | null; userId: string | null };
export type ReportedAudit = Reached & { action: string; targetId: string; metadata: object };
export type ReportedEvent = Reached & { id: string; type: string; objectId: string; data: object };
export type ReportedNotification = { type: string; userIds: string[]; data: Record<string, unknown> };

/** The maximum number of mails of the product to one person in an hour; beyond it the notification alone remains. */
const MAX_MAILS_AN_HOUR = 20;

/** Writes audit entries of the product; the log shows the person and the product. */
export async function auditOfProduct(tx: Tx, by: ReportedBy, entries: ReportedAudit[]): Promise<void> {
  if (entries.length === 0) return;
  const { audit } = theProduct() as Product;
  const { isMachine, ...common } = by;
  const rows = entries.map(({ unitId, userId, ...entry }) => ({
    ...entry,
    ...common,
    actorType: isMachine ? "service_account" : null,
    targetType: audit[entry.action]?.target ?? null,
    subjectUserId: userId,
    subjectUnitIds: unitId === null ? [] : [unitId],
    isAboveUnits: unitId === null && userId === null,
    isProduct: true,
  }));
  await effects.insertAuditEvents.run({ given: { events: rows } as never }, tx.effects);
}

/** Writes events of the product, each with its id. */
export async function eventsOfProduct(tx: Tx, by: ReportedBy, given: ReportedEvent[]): Promise<void> {
  if (given.length === 0) return;
  const { organizationId, actorId, isMachine, requestId } = by;
  const actorType = actorId === null ? null : isMachine ? "service_account" : "user";
  const events = { events: given } as never;
  const written = { organizationId, actorType, actorId, requestId, given: events };
  await effects.insertEventsOfProduct.run(written, tx.effects);
  tx.afterCommit.push(async () => relayNotifier(tx.app).notify());
}

/** Notifies people of what the product reports, by mail too where the manifest says so. */
export async function notifyOfProduct(tx: Tx, { type, userIds, data }: ReportedNotification): Promise<void> {
  const isMailed = (theProduct() as Product).notifications[type]?.mail ?? false;
  const mailedIds = isMailed ? await mailTo(tx, userIds, type, data) : [];
  await effects.insertNotificationsOfProduct.run(
    { userIds, mailedIds, type, data: data as effects.Json },
    tx.effects,
  );
}

/** Sends a notification by mail, too. Returns to whom: those who had fewer than 20 in the last hour, counted under their locks. */
async function mailTo(tx: Tx, userIds: string[], type: string, data: Record<string, unknown>) {
  await lockUsers(tx, userIds);
  const people = await effects.listMailable.run({ userIds, max: String(MAX_MAILS_AN_HOUR) }, tx.db);
  const { text, link } = shownOfProduct(type, data);
  for (const { email: to, language: stored } of people) {
    const language = fromStored(stored);
    const { name } = theProduct() as Product;
    const about = { text: text[language], product: name[language], url: link ?? "" };
    await mail(tx, { kind: "productNotification", to, language, data: about });
  }
  return people.map(({ id }) => id);
}

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
export type Reported = {
  audit: (Reached & { action: string; targetId: string; metadata: object })[];
  events: (Reached & { id: string; type: string; objectId: string; data: object })[];
  /** `mailable` are those of the users who may get a mail, if the manifest says so. */
  notifications: { type: string; userIds: string[]; data: Record<string, unknown>; mailable: string[] }[];
};

/** The maximum number of mails of the product to one person in an hour; beyond it the notification alone remains. */
export const MAX_MAILS_AN_HOUR = "20";

/** Writes what the product reports in its transaction; the audit log shows the person and the product. */
export async function reportOfProduct(tx: Tx, by: ReportedBy, reported: Reported): Promise<void> {
  const { audit, events } = reported;
  const { audit: actions } = theProduct() as Product;
  const notifications = [];
  for (const { mailable, ...notification } of reported.notifications)
    notifications.push({ ...notification, mailedIds: await mailTo(tx, mailable, notification) });
  if (audit.length + events.length + notifications.length === 0) return;
  const entries = audit.map((entry) => ({ ...entry, targetType: actions[entry.action]?.target ?? null }));
  const given = { audit: entries, events, notifications } as never;
  await effects.insertReported.run({ ...by, given }, tx.effects);
  if (events.length > 0) tx.afterCommit.push(async () => relayNotifier(tx.app).notify());
}

/** Sends a notification by mail, too. Returns to whom: those who had fewer than 20 in the last hour, counted under their locks. */
async function mailTo(
  tx: Tx,
  userIds: string[],
  { type, data }: Pick<Reported["notifications"][number], "type" | "data">,
): Promise<string[]> {
  if (userIds.length === 0) return [];
  await lockUsers(tx, userIds);
  const people = await effects.listMailable.run({ userIds, max: MAX_MAILS_AN_HOUR }, tx.db);
  const { text, link } = shownOfProduct(type, data);
  for (const { email: to, language: stored } of people) {
    const language = fromStored(stored);
    const { name } = theProduct() as Product;
    const about = { text: text[language], product: name[language], url: link ?? "" };
    await mail(tx, { kind: "productNotification", to, language, data: about });
  }
  return people.map(({ id }) => id);
}

import * as effects from "#sql/effects";
import { fromStored } from "../../platform/i18n/languages.ts";
import { withoutControl } from "../../platform/text.ts";
import type { Tx } from "../context.ts";
import { lockUsers } from "../locks.ts";
import { theProduct } from "../manifest/current.ts";
import { shownOfProduct } from "../manifest/fill.ts";
import type { Product } from "../manifest/schema.ts";
import { mail } from "./mail.ts";
import { preventAutolinks } from "./mail-names.ts";
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
export const MAX_MAILS_AN_HOUR = 20;

/** Writes what the product reports in its transaction; the audit log shows the person and the product. */
export async function reportOfProduct(tx: Tx, by: ReportedBy, reported: Reported): Promise<void> {
  const { audit, events } = reported;
  const { audit: actions } = theProduct() as Product;
  const people = await mailablePeople(tx, reported.notifications);
  const notifications = [];
  for (const { mailable, ...notification } of reported.notifications) {
    const mailed = mailable
      .flatMap((id) => people.get(id) ?? [])
      .filter((one) => one.mailed < MAX_MAILS_AN_HOUR);
    for (const person of mailed) await mailTo(tx, person, notification);
    notifications.push({ ...notification, mailedIds: mailed.map(({ id }) => id) });
  }
  if (audit.length + events.length + notifications.length === 0) return;
  const entries = audit.map((entry) => ({ ...entry, targetType: actions[entry.action]?.target ?? null }));
  const given = { audit: entries, events, notifications } as never;
  await effects.insertReported.run({ ...by, given }, tx.effects);
  if (events.length > 0) tx.afterCommit.push(async () => relayNotifier(tx.app).notify());
}

/** Returns by id who may get a mail, with the mails of the last hour, counted under their locks. */
async function mailablePeople(tx: Tx, notifications: Reported["notifications"]) {
  const userIds = [...new Set(notifications.flatMap(({ mailable }) => mailable))];
  if (userIds.length === 0) return new Map<string, effects.IListMailableResult>();
  await lockUsers(tx, userIds);
  const people = await effects.listMailable.run({ userIds, max: MAX_MAILS_AN_HOUR }, tx.db);
  return new Map(people.map((person) => [person.id, person]));
}

/** Sends a notification by mail, too, and counts the mail. Its values are text of others: none of them becomes a link. */
async function mailTo(
  tx: Tx,
  person: effects.IListMailableResult,
  { type, data }: Pick<Reported["notifications"][number], "type" | "data">,
): Promise<void> {
  const { text, link } = shownOfProduct(type, data, (value) => preventAutolinks(withoutControl(value)));
  const language = fromStored(person.language);
  const { name } = theProduct() as Product;
  const about = { text: text[language], product: name[language], url: link ?? "" };
  await mail(tx, { kind: "productNotification", to: person.email, language, data: about });
  person.mailed += 1;
}

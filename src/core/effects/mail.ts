import type { Language } from "../../platform/i18n/languages.ts";
import type { Tx } from "../context.ts";
import type { MailData } from "./mail-content.ts";

/** A mail that is to be written and sent. */
export type MailOrder<Kind extends keyof MailData = keyof MailData> = {
  kind: Kind;
  to: string;
  language: Language;
  data: MailData[Kind];
};

export const MAIL_QUEUE = "mail.send";

/** Queues a mail in the transaction of the change that causes it, so that it goes out if, and only if, that commits. */
export async function mail<Kind extends keyof MailData>(tx: Tx, order: MailOrder<Kind>): Promise<void> {
  await tx.app.jobs.send(tx.db.unawaited, MAIL_QUEUE, order, {
    label: order.kind,
    requestId: tx.requestId,
  });
}

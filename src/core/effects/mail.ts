import type { Language } from "../../platform/i18n/languages.ts";
import type { Tx } from "../context.ts";
import type { MailData } from "../definitions/mail-content.ts";

/** A mail to render and send. */
export type MailRequest<Kind extends keyof MailData = keyof MailData> = {
  kind: Kind;
  to: string;
  language: Language;
  data: MailData[Kind];
};

export const MAIL_QUEUE = "mail.send";

/**
 * Queues a mail in the transaction that causes it, so that the mail is sent if and only if the transaction commits.
 */
export async function mail<Kind extends keyof MailData>(tx: Tx, order: MailRequest<Kind>): Promise<void> {
  const about = { label: order.kind, requestId: tx.requestId };
  await tx.app.jobs.send(tx.db.pipelined, MAIL_QUEUE, order, about);
}

import * as queries from "#sql/effects";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { fromStored, type Language } from "../../platform/i18n/languages.ts";
import type { Tx } from "../context.ts";
import { type AllOf, declared, type NameOf } from "../definitions/features.ts";

/** The content of a mail in one language, before it is converted to text and HTML. */
export type MailContent = {
  subject: string;
  paragraphs: string[];
  /**
   * The link of a mail: a button in HTML, a URL in text. `path` is relative to `APP_URL`; `url` is a page of the product.
   */
  action?: { label: string } & ({ path: string } | { url: string });
  /** A second link, below the text after the first one. */
  secondAction?: { label: string; path: string };
  /** The paragraphs of a mail below its button. */
  closing?: string[];
};

/** Writes one kind of mail in every language. */
// biome-ignore lint/suspicious/noExplicitAny: each kind of mail has its own data
export type MailTemplate = (data: any) => Record<Language, MailContent>;

type Templates = AllOf<"mails">;
/** The name of a kind of mail, which a feature declares with its template. */
export type MailKind = NameOf<"mails">;
/** The data of each kind of mail. */
export type MailData = {
  [Kind in MailKind]: Templates[Kind] extends (data: infer Data) => unknown
    ? unknown extends Data
      ? Record<string, never>
      : Data
    : never;
};

/** Returns the templates of all kinds of mails. */
export const mailTemplates = () =>
  declared<MailTemplate>("mails") as { readonly [Kind in MailKind]: MailTemplate };

/** A mail to render and send. */
export type MailRequest<Kind extends MailKind = MailKind> = {
  kind: Kind;
  to: string;
  language: Language;
  data: MailData[Kind];
};

export const MAIL_QUEUE = "mail.send";

/**
 * Queues a mail in the transaction that causes it, so that the mail is sent if and only if the transaction commits.
 */
export async function mail<Kind extends MailKind>(tx: Tx, order: MailRequest<Kind>): Promise<void> {
  const about = { label: order.kind, requestId: tx.requestId };
  await tx.app.jobs.send(tx.effects, MAIL_QUEUE, order, about);
}

/** Returns the recipient of a mail to an account as it is stored. */
export const toAccount = ({ email, language }: { email: string; language: "EL" | "EN" }) => ({
  to: email,
  language: fromStored(language),
});

/**
 * Returns a member of the organization, to whom a mail is sent or a record given; null if this is none. Memberships end under the
 * organization's lock, which `authorize` takes.
 */
export async function findRecipient(
  { organizationId, db }: { organizationId: string; db: Queryable },
  userId: string,
): Promise<{ id: string; email: string; language: Language } | null> {
  const [found] = await queries.findRecipient.run({ organizationId, userId }, db);
  return found === undefined ? null : { ...found, language: fromStored(found.language) };
}

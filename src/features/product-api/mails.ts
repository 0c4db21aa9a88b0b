import type { MailTemplate } from "#kit";

/** A notification of the product, with its text and link filled in the language of the person. */
type Notified = { text: string; product: string; url: string };

/** The mails of the product, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  productNotification: ({ text, product, url }: Notified) => ({
    en: { subject: text, paragraphs: [text], action: { label: `Open ${product}`, url } },
    el: { subject: text, paragraphs: [text], action: { label: `Άνοιγμα: ${product}`, url } },
  }),
} satisfies Record<string, MailTemplate>;

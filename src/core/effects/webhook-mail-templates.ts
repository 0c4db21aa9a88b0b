import type { MailData, Template } from "../definitions/mail-content.ts";
import { preventAutolinks } from "./mail-names.ts";

type WebhookMails = Pick<{ [Kind in keyof MailData]: Template<Kind> }, "webhookFailing" | "webhookDisabled">;

const path = (endpointId: string) => `/webhooks/${endpointId}`;
const timeOf = (time: string | null) => `${time?.slice(0, 16).replace("T", " ") ?? ""} UTC`;

/** Mails about webhook endpoints, for members who may change them. */
export const webhookTemplates: WebhookMails = {
  webhookFailing: ({ host, organizationName, endpointId, failingSince }) => {
    const [endpoint, organization] = [preventAutolinks(host), preventAutolinks(organizationName)];
    return {
      en: {
        subject: `A webhook endpoint of ${organization} is failing`,
        paragraphs: [
          `Every delivery to the webhook endpoint at ${endpoint} has failed since ${timeOf(failingSince)}.`,
          "Repair the receiver. After five days without a success the endpoint is disabled.",
        ],
        action: { label: "Open the endpoint", path: path(endpointId) },
      },
      el: {
        subject: `Ένα webhook του οργανισμού ${organization} αποτυγχάνει`,
        paragraphs: [
          `Κάθε αποστολή προς το webhook στο ${endpoint} αποτυγχάνει από τις ${timeOf(failingSince)}.`,
          "Διορθώστε τον παραλήπτη. Μετά από πέντε ημέρες χωρίς επιτυχία το webhook απενεργοποιείται.",
        ],
        action: { label: "Άνοιγμα του webhook", path: path(endpointId) },
      },
    };
  },

  webhookDisabled: ({ host, organizationName, endpointId }) => {
    const [endpoint, organization] = [preventAutolinks(host), preventAutolinks(organizationName)];
    return {
      en: {
        subject: `A webhook endpoint of ${organization} was disabled`,
        paragraphs: [
          `The webhook endpoint at ${endpoint} was disabled, because it kept failing or no longer exists.`,
          "Repair the receiver, enable the endpoint again, and recover the events that it missed.",
        ],
        action: { label: "Open the endpoint", path: path(endpointId) },
      },
      el: {
        subject: `Ένα webhook του οργανισμού ${organization} απενεργοποιήθηκε`,
        paragraphs: [
          `Το webhook στο ${endpoint} απενεργοποιήθηκε, επειδή αποτύγχανε συνεχώς ή δεν υπάρχει πια.`,
          "Διορθώστε τον παραλήπτη, ενεργοποιήστε ξανά το webhook και ανακτήστε τα γεγονότα που χάθηκαν.",
        ],
        action: { label: "Άνοιγμα του webhook", path: path(endpointId) },
      },
    };
  },
};

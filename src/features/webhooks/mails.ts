import type { MailTemplate } from "#kit";
import { preventAutolinks } from "#kit/inside";

/** What a mail says about a webhook endpoint. */
type AboutEndpoint = {
  host: string;
  organizationName: string;
  endpointId: string;
  failingSince: string | null;
};

const path = (endpointId: string) => `/webhooks/${endpointId}`;
const timeOf = (time: string | null) => `${time?.slice(0, 16).replace("T", " ") ?? ""} UTC`;

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  webhookFailing: ({ host, organizationName, endpointId, failingSince }: AboutEndpoint) => {
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

  webhookDisabled: ({ host, organizationName, endpointId }: AboutEndpoint) => {
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
} satisfies Record<string, MailTemplate>;

import type { MailTemplate } from "#kit";
import { preventAutolinks } from "#kit/inside";

/** What a mail says about an API key; it never contains the key itself. */
type AboutKey = {
  name: string;
  start: string;
  organizationName: string;
  serviceAccountId: string;
  expiresAt: string | null;
};

const path = (serviceAccountId: string) => `/service-accounts/${serviceAccountId}`;
const timeOf = (expiresAt: string | null) => `${expiresAt?.slice(0, 16).replace("T", " ") ?? ""} UTC`;

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  apiKeyExpiring: ({ name, start, organizationName, serviceAccountId, expiresAt }: AboutKey) => {
    const key = `“${preventAutolinks(name)}” (${start}…)`;
    const organization = preventAutolinks(organizationName);
    return {
      en: {
        subject: `An API key of ${organization} expires soon`,
        paragraphs: [
          `The API key ${key} of ${organization} expires at ${timeOf(expiresAt)}.`,
          "Rotate it before then, and give the new key to the system that uses it.",
        ],
        action: { label: "Open the service account", path: path(serviceAccountId) },
      },
      el: {
        subject: `Ένα κλειδί API του οργανισμού ${organization} λήγει σύντομα`,
        paragraphs: [
          `Το κλειδί API ${key} του οργανισμού ${organization} λήγει στις ${timeOf(expiresAt)}.`,
          "Αντικαταστήστε το πριν από τότε και δώστε το νέο κλειδί στο σύστημα που το χρησιμοποιεί.",
        ],
        action: { label: "Άνοιγμα του λογαριασμού υπηρεσίας", path: path(serviceAccountId) },
      },
    };
  },

  apiKeyReported: ({ name, start, organizationName, serviceAccountId }: AboutKey) => {
    const key = `“${preventAutolinks(name)}” (${start}…)`;
    const organization = preventAutolinks(organizationName);
    return {
      en: {
        subject: `A leaked API key of ${organization} was revoked`,
        paragraphs: [
          `Somebody found the API key ${key} of ${organization} and reported it. It was revoked at once.`,
          "Create a new key for the system that used it, and look in the audit log for what the key was used for.",
        ],
        action: { label: "Open the service account", path: path(serviceAccountId) },
      },
      el: {
        subject: `Ένα κλειδί API του οργανισμού ${organization} διέρρευσε και ανακλήθηκε`,
        paragraphs: [
          `Κάποιος βρήκε το κλειδί API ${key} του οργανισμού ${organization} και το ανέφερε. Ανακλήθηκε αμέσως.`,
          "Δημιουργήστε νέο κλειδί για το σύστημα που το χρησιμοποιούσε και ελέγξτε στο αρχείο συμβάντων πού χρησιμοποιήθηκε.",
        ],
        action: { label: "Άνοιγμα του λογαριασμού υπηρεσίας", path: path(serviceAccountId) },
      },
    };
  },
} satisfies Record<string, MailTemplate>;

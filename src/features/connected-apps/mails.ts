import type { MailTemplate } from "#kit";
import { preventAutolinks } from "#kit/inside";
import { isReadOnly } from "../../core/access/app-scopes.ts";

/** The data of a mail about a connected app. */
type AboutApp = {
  clientName: string;
  /** The host of its document; null if it is registered. */
  clientHost: string | null;
  organizationName: string;
  unitName: string | null;
  scopes: string[];
  expiresAt: string;
};

const path = "/profile/apps";
const timeOf = (time: string) => `${time.slice(0, 16).replace("T", " ")} UTC`;

/** Names are text of others: none of them becomes a link. */
const namesOf = ({ clientName, clientHost, organizationName, unitName }: AboutApp) => ({
  app:
    clientHost === null
      ? `“${preventAutolinks(clientName)}”`
      : `“${preventAutolinks(clientName)}” (${preventAutolinks(clientHost)})`,
  organization: preventAutolinks(organizationName),
  unit: unitName === null ? null : preventAutolinks(unitName),
});

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  connectedAppApproved: (about: AboutApp) => {
    const { app, organization, unit } = namesOf(about);
    const { scopes, expiresAt } = about;
    return {
      en: {
        subject: `You connected an app in ${organization}`,
        paragraphs: [
          `You allowed the app ${app} to act for you in ${organization}${unit === null ? "" : `, in the unit ${unit} and below`}.`,
          `It may ${isReadOnly(scopes) ? "only read" : "read and change"}: ${scopes.join(", ")}.`,
          `Its access ends at ${timeOf(expiresAt)}, or after 30 days without use.`,
          "If you did not do this, disconnect the app and change your password.",
        ],
        action: { label: "See your connected apps", path },
      },
      el: {
        subject: `Συνδέσατε μια εφαρμογή στον οργανισμό ${organization}`,
        paragraphs: [
          `Επιτρέψατε στην εφαρμογή ${app} να ενεργεί για εσάς στον οργανισμό ${organization}${unit === null ? "" : `, στη μονάδα ${unit} και στις υπομονάδες της`}.`,
          `Μπορεί ${isReadOnly(scopes) ? "μόνο να διαβάζει" : "να διαβάζει και να αλλάζει"}: ${scopes.join(", ")}.`,
          `Η πρόσβασή της λήγει στις ${timeOf(expiresAt)}, ή μετά από 30 ημέρες χωρίς χρήση.`,
          "Αν δεν το κάνατε εσείς, αποσυνδέστε την εφαρμογή και αλλάξτε τον κωδικό πρόσβασής σας.",
        ],
        action: { label: "Οι συνδεδεμένες εφαρμογές σας", path },
      },
    };
  },

  connectedAppTokenReused: (about: AboutApp) => {
    const { app, organization } = namesOf(about);
    return {
      en: {
        subject: `We disconnected an app in ${organization}`,
        paragraphs: [
          `A used key of the app ${app} was sent a second time. Somebody may have stolen it, so we ended the app's access in ${organization}.`,
          "If you still use the app, connect it again. Otherwise you need not do anything.",
        ],
        action: { label: "See your connected apps", path },
      },
      el: {
        subject: `Αποσυνδέσαμε μια εφαρμογή στον οργανισμό ${organization}`,
        paragraphs: [
          `Ένα χρησιμοποιημένο κλειδί της εφαρμογής ${app} στάλθηκε δεύτερη φορά. Ίσως κάποιος το έκλεψε, γι’ αυτό τερματίσαμε την πρόσβαση της εφαρμογής στον οργανισμό ${organization}.`,
          "Αν τη χρησιμοποιείτε ακόμη, συνδέστε την ξανά. Διαφορετικά δεν χρειάζεται να κάνετε κάτι.",
        ],
        action: { label: "Οι συνδεδεμένες εφαρμογές σας", path },
      },
    };
  },
} satisfies Record<string, MailTemplate>;

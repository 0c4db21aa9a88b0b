import type { MailTemplate } from "#kit";
import { preventAutolinks } from "#kit/inside";

type OfOrganization = { organizationName: string };
const path = "/settings/sign-on";

const EN = {
  "no-identity": "You have not signed in through the organization yet. Do it once before that day.",
  "outside-domains": "Your address is in none of the organization's domains. Ask an administrator.",
  "no-second-factor": "Set up two-factor authentication or a passkey in your profile before that day.",
};
const EL = {
  "no-identity":
    "Δεν έχετε συνδεθεί ακόμη μέσω του οργανισμού. Συνδεθείτε μία φορά πριν από εκείνη την ημέρα.",
  "outside-domains": "Η διεύθυνσή σας δεν ανήκει σε τομέα του οργανισμού. Απευθυνθείτε σε διαχειριστή.",
  "no-second-factor":
    "Ενεργοποιήστε τον έλεγχο ταυτότητας δύο παραγόντων ή ένα κλειδί πρόσβασης στο προφίλ σας πριν από εκείνη την ημέρα.",
};

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  signOnAnnounced: (about: OfOrganization & { enforceFrom: string; reasons: (keyof typeof EN)[] }) => {
    const organization = preventAutolinks(about.organizationName);
    const day = about.enforceFrom.slice(0, 10);
    return {
      en: {
        subject: `${organization} changes how you sign in`,
        paragraphs: [
          `From ${day} on you cannot act in ${organization} as things stand. Your account and your other organizations stay as they are.`,
          ...about.reasons.map((reason) => EN[reason]),
        ],
        action: { label: "Open your profile", path: "/profile" },
      },
      el: {
        subject: `Ο οργανισμός ${organization} αλλάζει τον τρόπο σύνδεσης`,
        paragraphs: [
          `Από τις ${day} δεν θα μπορείτε να ενεργείτε στον οργανισμό ${organization} με τα σημερινά δεδομένα. Ο λογαριασμός σας και οι άλλοι οργανισμοί σας μένουν όπως είναι.`,
          ...about.reasons.map((reason) => EL[reason]),
        ],
        action: { label: "Άνοιγμα του προφίλ", path: "/profile" },
      },
    };
  },

  breakGlassUsed: (about: OfOrganization & { email: string }) => {
    const [organization, email] = [preventAutolinks(about.organizationName), preventAutolinks(about.email)];
    return {
      en: {
        subject: `A break-glass member acts in ${organization}`,
        paragraphs: [
          `${email} acts in ${organization} without its single sign-on.`,
          "If you do not know why, ask.",
        ],
        action: { label: "See the policy", path },
      },
      el: {
        subject: `Μέλος έκτακτης πρόσβασης ενεργεί στον οργανισμό ${organization}`,
        paragraphs: [
          `Το μέλος ${email} ενεργεί στον οργανισμό ${organization} χωρίς την ενιαία σύνδεσή του.`,
          "Αν δεν γνωρίζετε τον λόγο, ρωτήστε.",
        ],
        action: { label: "Προβολή της πολιτικής", path },
      },
    };
  },

  breakGlassUnusable: (about: OfOrganization & { email: string }) => {
    const [organization, email] = [preventAutolinks(about.organizationName), preventAutolinks(about.email)];
    return {
      en: {
        subject: `A break-glass member of ${organization} cannot act alone any more`,
        paragraphs: [
          `${email} has no second factor any more, and so is no usable break-glass member of ${organization}.`,
          "Without a usable one, nobody can change the policy if single sign-on fails.",
        ],
        action: { label: "See the policy", path },
      },
      el: {
        subject: `Μέλος έκτακτης πρόσβασης του οργανισμού ${organization} δεν μπορεί πια να ενεργεί μόνο του`,
        paragraphs: [
          `Το μέλος ${email} δεν έχει πια δεύτερο παράγοντα, και έτσι δεν είναι χρησιμοποιήσιμο μέλος έκτακτης πρόσβασης του οργανισμού ${organization}.`,
          "Χωρίς κανένα τέτοιο μέλος, κανείς δεν μπορεί να αλλάξει την πολιτική αν αποτύχει η ενιαία σύνδεση.",
        ],
        action: { label: "Προβολή της πολιτικής", path },
      },
    };
  },
} satisfies Record<string, MailTemplate>;

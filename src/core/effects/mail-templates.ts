import type { Language } from "../../platform/i18n/languages.ts";
import { unlinked } from "./mail-names.ts";

/** What each kind of mail needs to know. Values are put into texts as they are and escaped when rendered. */
export type MailData = {
  verification: { token: string };
  passwordReset: { token: string };
  passwordChanged: Record<string, never>;
  twoFactorEnabled: Record<string, never>;
  twoFactorDisabled: { via: "self" | "admin" };
  recoveryCodeUsed: { remaining: number };
  sessionsEnded: Record<string, never>;
  signInMethodAdded: { providerName: string };
  signInMethodRemoved: { providerName: string };
  /** Without the inviter's name where they have none, or where it was queued before names were told. */
  invitation: { token: string; organizationName: string; inviterName?: string | undefined };
  helpdeskReply: AboutTicket;
  helpdeskStatus: AboutTicket & { status: "OPEN" | "IN_PROGRESS" | "RESOLVED" | "CLOSED" };
};

/** What a mail tells of a ticket. Never what was written in it. */
type AboutTicket = { ticketId: string; number: number; subject: string };

/** One mail in one language, before it becomes text and HTML. */
export type MailContent = {
  subject: string;
  paragraphs: string[];
  /** A button in HTML, an address in text. The path is below `APP_URL`. */
  action?: { label: string; path: string };
  /** Said below the action. */
  closing?: string[];
};

type Template<Kind extends keyof MailData> = (data: MailData[Kind]) => Record<Language, MailContent>;

const link = (path: string, token: string) => `${path}?token=${encodeURIComponent(token)}`;

const STATUS_WORDS = {
  OPEN: { en: "open", el: "ανοιχτό" },
  IN_PROGRESS: { en: "in progress", el: "σε εξέλιξη" },
  RESOLVED: { en: "resolved", el: "επιλυμένο" },
  CLOSED: { en: "closed", el: "κλειστό" },
};

/** Every mail of the service, each written once, in both languages. */
export const templates: { [Kind in keyof MailData]: Template<Kind> } = {
  verification: ({ token }) => ({
    en: {
      subject: "Confirm your email address",
      paragraphs: ["Thank you for registering. Please confirm that this email address is yours."],
      action: { label: "Confirm email address", path: link("/verify-email", token) },
      closing: ["The link works once, within 24 hours. If you did not register, you can ignore this mail."],
    },
    el: {
      subject: "Επιβεβαιώστε τη διεύθυνση email σας",
      paragraphs: [
        "Ευχαριστούμε για την εγγραφή. Παρακαλούμε επιβεβαιώστε ότι αυτή η διεύθυνση email σας ανήκει.",
      ],
      action: { label: "Επιβεβαίωση διεύθυνσης email", path: link("/verify-email", token) },
      closing: [
        "Ο σύνδεσμος λειτουργεί μία φορά, εντός 24 ωρών. Αν δεν κάνατε εγγραφή, αγνοήστε αυτό το μήνυμα.",
      ],
    },
  }),

  passwordReset: ({ token }) => ({
    en: {
      subject: "Choose a new password",
      paragraphs: ["Somebody, hopefully you, asked for a new password for your account."],
      action: { label: "Choose a new password", path: link("/reset-password", token) },
      closing: [
        "The link works once, within one hour. With a new password you are signed out everywhere.",
        "If you did not ask for it, you can ignore this mail; your password stays as it is.",
      ],
    },
    el: {
      subject: "Επιλέξτε νέο κωδικό πρόσβασης",
      paragraphs: ["Κάποιος, ελπίζουμε εσείς, ζήτησε νέο κωδικό πρόσβασης για τον λογαριασμό σας."],
      action: { label: "Επιλογή νέου κωδικού πρόσβασης", path: link("/reset-password", token) },
      closing: [
        "Ο σύνδεσμος λειτουργεί μία φορά, εντός μίας ώρας. Με τον νέο κωδικό αποσυνδέεστε από παντού.",
        "Αν δεν το ζητήσατε εσείς, αγνοήστε αυτό το μήνυμα· ο κωδικός σας μένει όπως είναι.",
      ],
    },
  }),

  passwordChanged: () => ({
    en: {
      subject: "Your password was changed",
      paragraphs: [
        "The password of your account has just been changed.",
        "If that was not you, choose a new password right away:",
      ],
      action: { label: "Choose a new password", path: "/forgot-password" },
    },
    el: {
      subject: "Ο κωδικός πρόσβασής σας άλλαξε",
      paragraphs: [
        "Ο κωδικός πρόσβασης του λογαριασμού σας μόλις άλλαξε.",
        "Αν δεν το κάνατε εσείς, επιλέξτε αμέσως νέο κωδικό πρόσβασης:",
      ],
      action: { label: "Επιλογή νέου κωδικού πρόσβασης", path: "/forgot-password" },
    },
  }),

  twoFactorEnabled: () => ({
    en: {
      subject: "Two-factor authentication is on",
      paragraphs: [
        "Two-factor authentication has just been turned on for your account. From now on, signing in also asks for a code from your authenticator app.",
        "Keep your recovery codes in a safe place: each lets you in once when the app is out of reach.",
      ],
      action: { label: "Open your profile", path: "/profile" },
      closing: ["If that was not you, choose a new password right away and contact us."],
    },
    el: {
      subject: "Ο έλεγχος ταυτότητας δύο παραγόντων ενεργοποιήθηκε",
      paragraphs: [
        "Ο έλεγχος ταυτότητας δύο παραγόντων μόλις ενεργοποιήθηκε για τον λογαριασμό σας. Από εδώ και στο εξής, η σύνδεση ζητά και έναν κωδικό από την εφαρμογή ελέγχου ταυτότητας.",
        "Φυλάξτε τους κωδικούς ανάκτησης σε ασφαλές μέρος: καθένας σας επιτρέπει να συνδεθείτε μία φορά όταν δεν έχετε την εφαρμογή.",
      ],
      action: { label: "Άνοιγμα του προφίλ σας", path: "/profile" },
      closing: ["Αν δεν το κάνατε εσείς, επιλέξτε αμέσως νέο κωδικό πρόσβασης και επικοινωνήστε μαζί μας."],
    },
  }),

  twoFactorDisabled: ({ via }) => ({
    en: {
      subject: "Two-factor authentication is off",
      paragraphs: [
        via === "admin"
          ? "An administrator has just turned off two-factor authentication for your account. Signing in no longer asks for a code."
          : "Two-factor authentication has just been turned off for your account. Signing in no longer asks for a code.",
        "If you did not want that, choose a new password right away and turn it on again in your profile:",
      ],
      action: { label: "Choose a new password", path: "/forgot-password" },
    },
    el: {
      subject: "Ο έλεγχος ταυτότητας δύο παραγόντων απενεργοποιήθηκε",
      paragraphs: [
        via === "admin"
          ? "Ένας διαχειριστής μόλις απενεργοποίησε τον έλεγχο ταυτότητας δύο παραγόντων για τον λογαριασμό σας. Η σύνδεση δεν ζητά πλέον κωδικό από την εφαρμογή."
          : "Ο έλεγχος ταυτότητας δύο παραγόντων μόλις απενεργοποιήθηκε για τον λογαριασμό σας. Η σύνδεση δεν ζητά πλέον κωδικό από την εφαρμογή.",
        "Αν δεν το θέλατε, επιλέξτε αμέσως νέο κωδικό πρόσβασης και ενεργοποιήστε τον ξανά στο προφίλ σας:",
      ],
      action: { label: "Επιλογή νέου κωδικού πρόσβασης", path: "/forgot-password" },
    },
  }),

  recoveryCodeUsed: ({ remaining }) => ({
    en: {
      subject: "A recovery code was used to sign in",
      paragraphs: [
        `Somebody, hopefully you, has just signed in to your account with a recovery code. Unused codes left: ${remaining}.`,
        "You can make new codes in your profile. If that was not you, choose a new password right away.",
      ],
      action: { label: "Open your profile", path: "/profile" },
    },
    el: {
      subject: "Χρησιμοποιήθηκε κωδικός ανάκτησης για σύνδεση",
      paragraphs: [
        `Κάποιος, ελπίζουμε εσείς, μόλις συνδέθηκε στον λογαριασμό σας με κωδικό ανάκτησης. Αχρησιμοποίητοι κωδικοί που απομένουν: ${remaining}.`,
        "Μπορείτε να δημιουργήσετε νέους κωδικούς στο προφίλ σας. Αν δεν το κάνατε εσείς, επιλέξτε αμέσως νέο κωδικό πρόσβασης.",
      ],
      action: { label: "Άνοιγμα του προφίλ σας", path: "/profile" },
    },
  }),

  invitation: ({ token, organizationName, inviterName }) => {
    const organization = unlinked(organizationName);
    const inviter = inviterName && unlinked(inviterName);
    return {
      en: {
        subject: `You are invited to ${organization}`,
        paragraphs: [
          inviter
            ? `${inviter} has invited you to join ${organization}.`
            : `You have been invited to join ${organization}.`,
        ],
        action: { label: "Accept the invitation", path: link("/accept-invitation", token) },
        closing: [
          "The link works once, within seven days. If you do not know the sender, you can ignore this mail.",
        ],
      },
      el: {
        subject: `Πρόσκληση στον οργανισμό ${organization}`,
        paragraphs: [
          inviter
            ? `${inviter} σας προσκαλεί να συμμετάσχετε στον οργανισμό ${organization}.`
            : `Έχετε προσκληθεί να συμμετάσχετε στον οργανισμό ${organization}.`,
        ],
        action: { label: "Αποδοχή της πρόσκλησης", path: link("/accept-invitation", token) },
        closing: [
          "Ο σύνδεσμος λειτουργεί μία φορά, εντός επτά ημερών. Αν δεν γνωρίζετε τον αποστολέα, αγνοήστε αυτό το μήνυμα.",
        ],
      },
    };
  },

  helpdeskReply: ({ ticketId, number, subject }) => ({
    en: {
      subject: `Your report #${number} was answered`,
      paragraphs: [`There is an answer to your report #${number}, “${subject}”.`],
      action: { label: "Read the answer", path: `/support/tickets/${ticketId}` },
    },
    el: {
      subject: `Το αίτημά σας #${number} απαντήθηκε`,
      paragraphs: [`Υπάρχει απάντηση στο αίτημά σας #${number}, «${subject}».`],
      action: { label: "Διαβάστε την απάντηση", path: `/support/tickets/${ticketId}` },
    },
  }),

  helpdeskStatus: ({ ticketId, number, subject, status }) => ({
    en: {
      subject: `Your report #${number} is ${STATUS_WORDS[status].en}`,
      paragraphs: [`Your report #${number}, “${subject}”, is now ${STATUS_WORDS[status].en}.`],
      action: { label: "See the report", path: `/support/tickets/${ticketId}` },
    },
    el: {
      subject: `Το αίτημά σας #${number} είναι ${STATUS_WORDS[status].el}`,
      paragraphs: [`Το αίτημά σας #${number}, «${subject}», είναι πλέον ${STATUS_WORDS[status].el}.`],
      action: { label: "Δείτε το αίτημα", path: `/support/tickets/${ticketId}` },
    },
  }),

  sessionsEnded: () => ({
    en: {
      subject: "All your sessions were ended",
      paragraphs: [
        "A sign-in of yours was used in a way that suggests that it was copied, so all your sessions were ended.",
        "Please sign in again. If you do not know what this could be, choose a new password:",
      ],
      action: { label: "Choose a new password", path: "/forgot-password" },
    },
    el: {
      subject: "Όλες οι συνεδρίες σας τερματίστηκαν",
      paragraphs: [
        "Μια σύνδεσή σας χρησιμοποιήθηκε με τρόπο που δείχνει ότι αντιγράφηκε, γι’ αυτό τερματίστηκαν όλες οι συνεδρίες σας.",
        "Παρακαλούμε συνδεθείτε ξανά. Αν δεν γνωρίζετε την αιτία, επιλέξτε νέο κωδικό πρόσβασης:",
      ],
      action: { label: "Επιλογή νέου κωδικού πρόσβασης", path: "/forgot-password" },
    },
  }),

  signInMethodAdded: ({ providerName }) => ({
    en: {
      subject: `You can now sign in with ${providerName}`,
      paragraphs: [
        `Signing in with ${providerName} has just been added to your account.`,
        "If that was not you, remove it in your profile, and choose a new password.",
      ],
      action: { label: "Open your profile", path: "/profile" },
    },
    el: {
      subject: `Μπορείτε πλέον να συνδέεστε μέσω ${providerName}`,
      paragraphs: [
        `Η σύνδεση μέσω ${providerName} μόλις προστέθηκε στον λογαριασμό σας.`,
        "Αν δεν το κάνατε εσείς, αφαιρέστε την από το προφίλ σας και επιλέξτε νέο κωδικό πρόσβασης.",
      ],
      action: { label: "Άνοιγμα του προφίλ σας", path: "/profile" },
    },
  }),

  signInMethodRemoved: ({ providerName }) => ({
    en: {
      subject: `You can no longer sign in with ${providerName}`,
      paragraphs: [
        `Signing in with ${providerName} has just been removed from your account.`,
        "If that was not you, choose a new password right away:",
      ],
      action: { label: "Choose a new password", path: "/forgot-password" },
    },
    el: {
      subject: `Δεν μπορείτε πλέον να συνδέεστε μέσω ${providerName}`,
      paragraphs: [
        `Η σύνδεση μέσω ${providerName} μόλις αφαιρέθηκε από τον λογαριασμό σας.`,
        "Αν δεν το κάνατε εσείς, επιλέξτε αμέσως νέο κωδικό πρόσβασης:",
      ],
      action: { label: "Επιλογή νέου κωδικού πρόσβασης", path: "/forgot-password" },
    },
  }),
};

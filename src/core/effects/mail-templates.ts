import type { MailData, Template } from "../definitions/mail-content.ts";
import { apiKeyTemplates } from "./api-key-mail-templates.ts";
import { emailTemplates } from "./email-mail-templates.ts";
import { preventAutolinks } from "./mail-names.ts";
import { securityTemplates } from "./security-mail-templates.ts";
import { tokenLink } from "./token-links.ts";
import { webhookTemplates } from "./webhook-mail-templates.ts";

const STATUS_WORDS = {
  OPEN: { en: "open", el: "ανοιχτό" },
  IN_PROGRESS: { en: "in progress", el: "σε εξέλιξη" },
  RESOLVED: { en: "resolved", el: "επιλυμένο" },
  CLOSED: { en: "closed", el: "κλειστό" },
};

/** All mails of the service, in both languages. */
export const templates: { [Kind in keyof MailData]: Template<Kind> } = {
  verification: ({ token }) => ({
    en: {
      subject: "Confirm your email address",
      paragraphs: ["Thank you for registering. Please confirm that this email address is yours."],
      action: { label: "Confirm email address", path: tokenLink("/verify-email", token) },
      closing: ["The link works once, within 24 hours. If you did not register, you can ignore this email."],
    },
    el: {
      subject: "Επιβεβαιώστε τη διεύθυνση email σας",
      paragraphs: [
        "Ευχαριστούμε για την εγγραφή. Παρακαλούμε επιβεβαιώστε ότι αυτή η διεύθυνση email σας ανήκει.",
      ],
      action: { label: "Επιβεβαίωση διεύθυνσης email", path: tokenLink("/verify-email", token) },
      closing: [
        "Ο σύνδεσμος λειτουργεί μία φορά, εντός 24 ωρών. Αν δεν κάνατε εγγραφή, αγνοήστε αυτό το μήνυμα.",
      ],
    },
  }),

  passwordReset: ({ token }) => ({
    en: {
      subject: "Choose a new password",
      paragraphs: ["We received a request to reset the password of your account."],
      action: { label: "Choose a new password", path: tokenLink("/reset-password", token) },
      closing: [
        "The link works once, within one hour. Choosing a new password signs you out everywhere.",
        "If you did not request this, you can ignore this email; your password will not change.",
      ],
    },
    el: {
      subject: "Επιλέξτε νέο κωδικό πρόσβασης",
      paragraphs: ["Λάβαμε αίτημα επαναφοράς του κωδικού πρόσβασης του λογαριασμού σας."],
      action: { label: "Επιλογή νέου κωδικού πρόσβασης", path: tokenLink("/reset-password", token) },
      closing: [
        "Ο σύνδεσμος λειτουργεί μία φορά, εντός μίας ώρας. Με την επιλογή νέου κωδικού αποσυνδέεστε από παντού.",
        "Αν δεν το ζητήσατε εσείς, αγνοήστε αυτό το μήνυμα· ο κωδικός σας δεν θα αλλάξει.",
      ],
    },
  }),

  invitation: ({ token, organizationName, inviterName }) => {
    const organization = preventAutolinks(organizationName);
    const inviter = inviterName && preventAutolinks(inviterName);
    return {
      en: {
        subject: `You are invited to ${organization}`,
        paragraphs: [
          inviter
            ? `${inviter} has invited you to join ${organization}.`
            : `You have been invited to join ${organization}.`,
        ],
        action: { label: "Accept the invitation", path: tokenLink("/accept-invitation", token) },
        closing: [
          "The link works once, within seven days. If you do not know the sender, you can ignore this email.",
        ],
      },
      el: {
        subject: `Πρόσκληση στον οργανισμό ${organization}`,
        paragraphs: [
          inviter
            ? `${inviter} σας προσκαλεί να συμμετάσχετε στον οργανισμό ${organization}.`
            : `Έχετε προσκληθεί να συμμετάσχετε στον οργανισμό ${organization}.`,
        ],
        action: { label: "Αποδοχή της πρόσκλησης", path: tokenLink("/accept-invitation", token) },
        closing: [
          "Ο σύνδεσμος λειτουργεί μία φορά, εντός επτά ημερών. Αν δεν γνωρίζετε τον αποστολέα, αγνοήστε αυτό το μήνυμα.",
        ],
      },
    };
  },

  helpdeskReply: ({ ticketId, number, subject }) => ({
    en: {
      subject: `New reply to your report #${number}`,
      paragraphs: [`Support replied to your report #${number}, “${subject}”.`],
      action: { label: "Read the reply", path: `/support/tickets/${ticketId}` },
    },
    el: {
      subject: `Νέα απάντηση στο αίτημά σας #${number}`,
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

  ...securityTemplates,
  ...emailTemplates,
  ...apiKeyTemplates,
  ...webhookTemplates,
};

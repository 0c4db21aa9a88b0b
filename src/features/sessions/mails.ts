import type { MailTemplate } from "#kit";

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  sessionsEnded: () => ({
    en: {
      subject: "All your sessions were ended",
      paragraphs: [
        "One of your sessions may have been copied, so we ended all your sessions.",
        "Please sign in again. If you do not know the cause, choose a new password:",
      ],
      action: { label: "Choose a new password", path: "/forgot-password" },
    },
    el: {
      subject: "Όλες οι συνεδρίες σας τερματίστηκαν",
      paragraphs: [
        "Μια συνεδρία σας ενδέχεται να έχει αντιγραφεί, γι’ αυτό τερματίσαμε όλες τις συνεδρίες σας.",
        "Παρακαλούμε συνδεθείτε ξανά. Αν δεν γνωρίζετε την αιτία, επιλέξτε νέο κωδικό πρόσβασης:",
      ],
      action: { label: "Επιλογή νέου κωδικού πρόσβασης", path: "/forgot-password" },
    },
  }),

  sessionsEndedByAdmin: () => ({
    en: {
      subject: "An administrator ended all your sessions",
      paragraphs: [
        "An administrator has just signed you out everywhere. Your password has not changed: please sign in again.",
        "If you do not know why, choose a new password and contact us:",
      ],
      action: { label: "Choose a new password", path: "/forgot-password" },
    },
    el: {
      subject: "Ένας διαχειριστής τερμάτισε όλες τις συνεδρίες σας",
      paragraphs: [
        "Ένας διαχειριστής μόλις σας αποσύνδεσε από παντού. Ο κωδικός πρόσβασής σας δεν άλλαξε: παρακαλούμε συνδεθείτε ξανά.",
        "Αν δεν γνωρίζετε την αιτία, επιλέξτε νέο κωδικό πρόσβασης και επικοινωνήστε μαζί μας:",
      ],
      action: { label: "Επιλογή νέου κωδικού πρόσβασης", path: "/forgot-password" },
    },
  }),
} satisfies Record<string, MailTemplate>;

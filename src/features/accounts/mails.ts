import { type MailTemplate, tokenLink } from "#kit";

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  verification: ({ token }: { token: string }) => ({
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

  passwordReset: ({ token }: { token: string }) => ({
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
} satisfies Record<string, MailTemplate>;

import { type MailTemplate, tokenLink } from "#kit";

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  emailChangeOld: ({
    token,
    newEmail,
    needsConfirmation,
  }: {
    token: string;
    newEmail: string;
    needsConfirmation: boolean;
  }) => {
    const cancel = tokenLink("/cancel-email-change", token);
    const confirm = tokenLink("/confirm-email-change", token);
    return {
      en: {
        subject: "Your email address is to change",
        paragraphs: [
          `The email address of your account is to become ${newEmail}.`,
          needsConfirmation
            ? "If that was you, confirm it. The new address must confirm it, too."
            : "The change is complete when the new address confirms it.",
        ],
        action: needsConfirmation
          ? { label: "Confirm the change", path: confirm }
          : { label: "Cancel the change", path: cancel },
        closing: [
          "The links work within 24 hours.",
          "If that was not you, cancel the change. That also signs you out everywhere, and removes what was added to your account since 24 hours before the request:",
        ],
        ...(needsConfirmation && { secondAction: { label: "That was not me", path: cancel } }),
      },
      el: {
        subject: "Η διεύθυνση email σας πρόκειται να αλλάξει",
        paragraphs: [
          `Η διεύθυνση email του λογαριασμού σας πρόκειται να γίνει ${newEmail}.`,
          needsConfirmation
            ? "Αν το ζητήσατε εσείς, επιβεβαιώστε το. Πρέπει να το επιβεβαιώσει και η νέα διεύθυνση."
            : "Η αλλαγή ολοκληρώνεται όταν την επιβεβαιώσει η νέα διεύθυνση.",
        ],
        action: needsConfirmation
          ? { label: "Επιβεβαίωση αλλαγής", path: confirm }
          : { label: "Ακύρωση αλλαγής", path: cancel },
        closing: [
          "Οι σύνδεσμοι λειτουργούν εντός 24 ωρών.",
          "Αν δεν το ζητήσατε εσείς, ακυρώστε την αλλαγή. Έτσι αποσυνδέεστε και από παντού, και αφαιρείται ό,τι προστέθηκε στον λογαριασμό σας από 24 ώρες πριν από το αίτημα:",
        ],
        ...(needsConfirmation && { secondAction: { label: "Δεν ήμουν εγώ", path: cancel } }),
      },
    };
  },

  emailChangeNew: ({ token }: { token: string }) => ({
    en: {
      subject: "Confirm your new email address",
      paragraphs: [
        "Please confirm that this address is to be the email address of your account. Sign in first.",
      ],
      action: { label: "Confirm email address", path: tokenLink("/confirm-email-change", token) },
      closing: ["The link works within 24 hours. If you did not ask for this, you can ignore this email."],
    },
    el: {
      subject: "Επιβεβαιώστε τη νέα διεύθυνση email σας",
      paragraphs: [
        "Παρακαλούμε επιβεβαιώστε ότι αυτή θα είναι η διεύθυνση email του λογαριασμού σας. Συνδεθείτε πρώτα.",
      ],
      action: { label: "Επιβεβαίωση διεύθυνσης email", path: tokenLink("/confirm-email-change", token) },
      closing: ["Ο σύνδεσμος λειτουργεί εντός 24 ωρών. Αν δεν το ζητήσατε εσείς, αγνοήστε αυτό το μήνυμα."],
    },
  }),

  /** The token of the undo link, missing if changes cannot be undone; the number of connected apps that still work. */
  emailChanged: ({
    newEmail,
    token,
    apps = 0,
  }: {
    newEmail: string;
    token?: string | undefined;
    apps?: number | undefined;
  }) => ({
    en: {
      subject: "Your email address was changed",
      paragraphs: [
        `The email address of your account is now ${newEmail}. Your other sessions ended.`,
        ...(apps > 0
          ? [
              `Connected apps (${apps}) still act for you. Disconnect in your profile those that you do not know.`,
            ]
          : []),
        ...(token === undefined
          ? []
          : [
              "If that was not you, undo the change. That also removes what was added to your account since 24 hours before the request:",
            ]),
      ],
      ...(token !== undefined && {
        action: { label: "Undo the change", path: tokenLink("/undo-email-change", token) },
      }),
    },
    el: {
      subject: "Η διεύθυνση email σας άλλαξε",
      paragraphs: [
        `Η διεύθυνση email του λογαριασμού σας είναι πλέον ${newEmail}. Οι άλλες συνεδρίες σας τερματίστηκαν.`,
        ...(apps > 0
          ? [
              `Συνδεδεμένες εφαρμογές (${apps}) εξακολουθούν να ενεργούν για εσάς. Αποσυνδέστε στο προφίλ σας όσες δεν γνωρίζετε.`,
            ]
          : []),
        ...(token === undefined
          ? []
          : [
              "Αν δεν το κάνατε εσείς, αναιρέστε την αλλαγή. Έτσι αφαιρείται και ό,τι προστέθηκε στον λογαριασμό σας από 24 ώρες πριν από το αίτημα:",
            ]),
      ],
      ...(token !== undefined && {
        action: { label: "Αναίρεση αλλαγής", path: tokenLink("/undo-email-change", token) },
      }),
    },
  }),

  emailChangeUndone: () => ({
    en: {
      subject: "The change of your email address was undone",
      paragraphs: ["Your account has its former email address again. This address no longer belongs to it."],
    },
    el: {
      subject: "Η αλλαγή της διεύθυνσης email σας αναιρέθηκε",
      paragraphs: [
        "Ο λογαριασμός σας έχει ξανά την προηγούμενη διεύθυνση email. Αυτή η διεύθυνση δεν του ανήκει πλέον.",
      ],
    },
  }),
} satisfies Record<string, MailTemplate>;

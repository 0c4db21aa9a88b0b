import type { MailTemplate } from "#kit";

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  /** The numbers of passkeys that still sign in, and of connected apps that still work. Missing in jobs that an earlier version queued. */
  passwordChanged: ({
    passkeys = 0,
    apps = 0,
  }: {
    passkeys?: number | undefined;
    apps?: number | undefined;
  }) => ({
    en: {
      subject: "Your password was changed",
      paragraphs: [
        "The password of your account has just been changed.",
        ...(passkeys > 0
          ? [
              `Your account also has passkeys (${passkeys}), which still sign in. Check in your profile that all are yours.`,
            ]
          : []),
        ...(apps > 0
          ? [
              `Connected apps (${apps}) still act for you. Disconnect in your profile those that you do not know.`,
            ]
          : []),
        "If that was not you, choose a new password right away:",
      ],
      action: { label: "Choose a new password", path: "/forgot-password" },
    },
    el: {
      subject: "Ο κωδικός πρόσβασής σας άλλαξε",
      paragraphs: [
        "Ο κωδικός πρόσβασης του λογαριασμού σας μόλις άλλαξε.",
        ...(passkeys > 0
          ? [
              `Ο λογαριασμός σας έχει και κλειδιά πρόσβασης (${passkeys}), με τα οποία η σύνδεση εξακολουθεί να λειτουργεί. Ελέγξτε στο προφίλ σας ότι όλα είναι δικά σας.`,
            ]
          : []),
        ...(apps > 0
          ? [
              `Συνδεδεμένες εφαρμογές (${apps}) εξακολουθούν να ενεργούν για εσάς. Αποσυνδέστε στο προφίλ σας όσες δεν γνωρίζετε.`,
            ]
          : []),
        "Αν δεν το κάνατε εσείς, επιλέξτε αμέσως νέο κωδικό πρόσβασης:",
      ],
      action: { label: "Επιλογή νέου κωδικού πρόσβασης", path: "/forgot-password" },
    },
  }),
} satisfies Record<string, MailTemplate>;

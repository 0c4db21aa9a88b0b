import type { MailTemplate } from "#kit";

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  /** The number of passkeys that can still be used to sign in. Missing in jobs that an earlier version queued. */
  passwordChanged: ({ passkeys = 0 }: { passkeys?: number | undefined }) => ({
    en: {
      subject: "Your password was changed",
      paragraphs: [
        "The password of your account has just been changed.",
        ...(passkeys > 0
          ? [
              `Your account also has passkeys (${passkeys}), which still sign in. Check in your profile that all are yours.`,
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
        "Αν δεν το κάνατε εσείς, επιλέξτε αμέσως νέο κωδικό πρόσβασης:",
      ],
      action: { label: "Επιλογή νέου κωδικού πρόσβασης", path: "/forgot-password" },
    },
  }),
} satisfies Record<string, MailTemplate>;

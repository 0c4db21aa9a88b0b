import type { MailTemplate } from "#kit";

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  passkeyBlocked: ({ name }: { name: string }) => ({
    en: {
      subject: "A passkey of your account was blocked",
      paragraphs: [
        `The passkey “${name}” was blocked, because a copy of it may have been used. It no longer signs in.`,
        "Remove it in your profile and add a new one. If you have no other way to sign in, choose a password:",
      ],
      action: { label: "Choose a new password", path: "/forgot-password" },
    },
    el: {
      subject: "Ένα κλειδί πρόσβασης του λογαριασμού σας αποκλείστηκε",
      paragraphs: [
        `Το κλειδί πρόσβασης «${name}» αποκλείστηκε, επειδή ίσως χρησιμοποιήθηκε αντίγραφό του. Δεν συνδέει πλέον.`,
        "Αφαιρέστε το από το προφίλ σας και προσθέστε νέο. Αν δεν έχετε άλλον τρόπο σύνδεσης, επιλέξτε κωδικό πρόσβασης:",
      ],
      action: { label: "Επιλογή νέου κωδικού πρόσβασης", path: "/forgot-password" },
    },
  }),
} satisfies Record<string, MailTemplate>;

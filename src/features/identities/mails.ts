import type { MailTemplate } from "#kit";

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  signInMethodAdded: ({ providerName }: { providerName: string }) => ({
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

  signInMethodRemoved: ({ providerName }: { providerName: string }) => ({
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
} satisfies Record<string, MailTemplate>;

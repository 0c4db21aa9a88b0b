import type { MailTemplate } from "#kit";

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  twoFactorEnabled: () => ({
    en: {
      subject: "Two-factor authentication is on",
      paragraphs: [
        "Two-factor authentication has just been turned on for your account. From now on, signing in also asks for a code from your authenticator app.",
        "Keep your recovery codes in a safe place: each code lets you sign in once without the app.",
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

  twoFactorDisabled: ({ via }: { via: "self" | "admin" }) => ({
    en: {
      subject: "Two-factor authentication is off",
      paragraphs: [
        via === "admin"
          ? "An administrator has just turned off two-factor authentication for your account. Signing in no longer asks for a code."
          : "Two-factor authentication has just been turned off for your account. Signing in no longer asks for a code.",
        "If you did not want this, choose a new password right away and turn two-factor authentication on again in your profile:",
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

  /** A missing purpose means a sign-in: jobs that an earlier version queued have no purpose. */
  recoveryCodeUsed: ({
    remaining,
    purpose = "sign-in",
  }: {
    remaining: number;
    purpose?: "sign-in" | "export" | "reauthentication" | undefined;
  }) => ({
    en: {
      subject: {
        export: "A recovery code was used to export your data",
        reauthentication: "A recovery code was used to confirm your identity",
        "sign-in": "A recovery code was used to sign in",
      }[purpose],
      paragraphs: [
        `A recovery code was just used to ${{ export: "export the data of", reauthentication: "confirm an action in", "sign-in": "sign in to" }[purpose]} your account. Unused codes left: ${remaining}.`,
        "You can generate new codes in your profile. If that was not you, choose a new password right away.",
      ],
      action: { label: "Open your profile", path: "/profile" },
    },
    el: {
      subject: {
        export: "Χρησιμοποιήθηκε κωδικός ανάκτησης για εξαγωγή των δεδομένων σας",
        reauthentication: "Χρησιμοποιήθηκε κωδικός ανάκτησης για επιβεβαίωση της ταυτότητάς σας",
        "sign-in": "Χρησιμοποιήθηκε κωδικός ανάκτησης για σύνδεση",
      }[purpose],
      paragraphs: [
        `Μόλις χρησιμοποιήθηκε κωδικός ανάκτησης για ${{ export: "εξαγωγή των δεδομένων του λογαριασμού σας", reauthentication: "επιβεβαίωση ενέργειας στον λογαριασμό σας", "sign-in": "σύνδεση στον λογαριασμό σας" }[purpose]}. Αχρησιμοποίητοι κωδικοί που απομένουν: ${remaining}.`,
        "Μπορείτε να δημιουργήσετε νέους κωδικούς στο προφίλ σας. Αν δεν το κάνατε εσείς, επιλέξτε αμέσως νέο κωδικό πρόσβασης.",
      ],
      action: { label: "Άνοιγμα του προφίλ σας", path: "/profile" },
    },
  }),

  wrongTwoFactorCodes: ({ wrongCodes }: { wrongCodes: number }) => ({
    en: {
      subject: "Wrong codes were entered for your account",
      paragraphs: [
        `Somebody signed in with your password and entered ${wrongCodes} wrong codes in the last 24 hours. Further codes are refused for a while.`,
        "If that was not you, somebody knows your password. Choose a new one right away:",
      ],
      action: { label: "Choose a new password", path: "/forgot-password" },
    },
    el: {
      subject: "Εισήχθησαν λανθασμένοι κωδικοί για τον λογαριασμό σας",
      paragraphs: [
        `Κάποιος συνδέθηκε με τον κωδικό πρόσβασής σας και εισήγαγε ${wrongCodes} λανθασμένους κωδικούς ελέγχου ταυτότητας τις τελευταίες 24 ώρες. Για κάποιο διάστημα δεν γίνονται δεκτοί άλλοι κωδικοί.`,
        "Αν δεν το κάνατε εσείς, κάποιος γνωρίζει τον κωδικό πρόσβασής σας. Επιλέξτε αμέσως νέο:",
      ],
      action: { label: "Επιλογή νέου κωδικού πρόσβασης", path: "/forgot-password" },
    },
  }),
} satisfies Record<string, MailTemplate>;

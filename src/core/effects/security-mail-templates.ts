import type { MailData, Template } from "../definitions/mail-content.ts";

type SecurityMails = Pick<
  { [Kind in keyof MailData]: Template<Kind> },
  | "passwordChanged"
  | "twoFactorEnabled"
  | "twoFactorDisabled"
  | "recoveryCodeUsed"
  | "wrongTwoFactorCodes"
  | "sessionsEnded"
  | "sessionsEndedByAdmin"
  | "signInMethodAdded"
  | "signInMethodRemoved"
  | "passkeyBlocked"
>;

/** Mails about changes of a user's sign-in methods and credentials. */
export const securityTemplates: SecurityMails = {
  passwordChanged: ({ passkeys = 0 }) => ({
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

  twoFactorDisabled: ({ via }) => ({
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

  recoveryCodeUsed: ({ remaining, purpose = "sign-in" }) => ({
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

  wrongTwoFactorCodes: ({ wrongCodes }) => ({
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

  passkeyBlocked: ({ name }) => ({
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
};

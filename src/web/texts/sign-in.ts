import { dictionary } from "./dictionary.ts";

/** Texts of the sign-in page that other pages before sign-in have, too. */
export const sharedSignInTexts = {
  signIn: { en: "Sign in", el: "Σύνδεση" },
  email: { en: "Email address", el: "Διεύθυνση email" },
  password: { en: "Password", el: "Κωδικός πρόσβασης" },
  needsInvitation: { en: "You need an invitation.", el: "Χρειάζεστε πρόσκληση." },
  register: { en: "Create an account", el: "Δημιουργία λογαριασμού" },
  sendAgain: { en: "Send the link again", el: "Νέα αποστολή του συνδέσμου" },
  sentAgain: {
    en: "If this address still needs to be confirmed, we have sent a new link.",
    el: "Αν αυτή η διεύθυνση περιμένει επιβεβαίωση, στείλαμε νέο σύνδεσμο.",
  },
} as const;

/** Texts of the sign-in page, in a separate file because they are part of the first load. */
export const signInTexts = dictionary({
  ...sharedSignInTexts,
  secondFactor: { en: "Second factor", el: "Δεύτερος παράγοντας" },
  codeAbout: {
    en: "Enter the code from your authenticator app.",
    el: "Γράψτε τον κωδικό της εφαρμογής ελέγχου ταυτότητας.",
  },
  code: { en: "Code", el: "Κωδικός" },
  recoveryCode: { en: "Recovery code", el: "Κωδικός ανάκτησης" },
  passkeySignIn: { en: "Continue with a passkey", el: "Συνέχεια με κλειδί πρόσβασης" },
  passkeyAbout: {
    en: "Confirm with your passkey. If it is on your phone, choose the phone in the browser’s dialog and scan the QR code.",
    el: "Επιβεβαιώστε με το κλειδί πρόσβασης. Αν βρίσκεται στο τηλέφωνό σας, διαλέξτε το στο παράθυρο του προγράμματος περιήγησης και σαρώστε τον κωδικό QR.",
  },
  passkeyContinue: { en: "Use your passkey", el: "Χρήση του κλειδιού" },
  usePasskey: { en: "Use a passkey instead", el: "Με κλειδί πρόσβασης" },
  passkeyUnused: {
    en: "No passkey was used. Try again, or choose another way.",
    el: "Δεν χρησιμοποιήθηκε κλειδί πρόσβασης. Δοκιμάστε ξανά ή διαλέξτε άλλον τρόπο.",
  },
  useRecoveryCode: { en: "Use a recovery code instead", el: "Με κωδικό ανάκτησης" },
  useCode: { en: "Use an authenticator code instead", el: "Με κωδικό της εφαρμογής" },
  startOver: { en: "Start over", el: "Από την αρχή" },
  continue: { en: "Continue", el: "Συνέχεια" },
  usePassword: { en: "Use a password instead", el: "Χρήση κωδικού" },
  foundWay: { en: "You can sign in with {name}.", el: "Μπορείτε να συνδεθείτε με {name}." },
  forgot: { en: "Forgot password?", el: "Ξεχάσατε τον κωδικό;" },
  botCheck: { en: "Bot check", el: "Έλεγχος ρομπότ" },
  botCheckFailed: {
    en: "The check that you are not a robot could not be loaded. Reload the page.",
    el: "Ο έλεγχος ότι δεν είστε ρομπότ δεν φορτώθηκε. Φορτώστε ξανά τη σελίδα.",
  },
  noAccount: { en: "New here?", el: "Πρώτη φορά εδώ;" },
  or: { en: "or", el: "ή" },
  with: { en: "Continue with {provider}", el: "Συνέχεια με {provider}" },
  notThere: {
    en: "No email? Check your spam folder or send the link again.",
    el: "Δεν ήρθε email; Ελέγξτε τα ανεπιθύμητα ή στείλτε ξανά τον σύνδεσμο.",
  },
  ended: { en: "Your session has ended. Sign in again.", el: "Η συνεδρία σας έληξε. Συνδεθείτε ξανά." },
  suspended: {
    en: "Your organization was suspended, so your session has ended. Sign in to ask for help.",
    el: "Ο οργανισμός σας τέθηκε σε αναστολή και η συνεδρία σας έληξε. Συνδεθείτε για βοήθεια.",
  },
  verified: {
    en: "Your address is confirmed. You can sign in now.",
    el: "Η διεύθυνσή σας επιβεβαιώθηκε. Μπορείτε να συνδεθείτε.",
  },
  reset: {
    en: "Your new password is saved. Sign in with it.",
    el: "Ο κωδικός σας αποθηκεύτηκε. Συνδεθείτε με αυτόν.",
  },
  accepted: {
    en: "You have joined. Sign in to continue.",
    el: "Είστε πλέον μέλος. Συνδεθείτε για να συνεχίσετε.",
  },
  deleted: { en: "Your account is deleted.", el: "Ο λογαριασμός σας διαγράφηκε." },
  demo: { en: "Demo accounts", el: "Δοκιμαστικοί λογαριασμοί" },
  demoAbout: {
    en: "Shown in development only. Choose one to sign in.",
    el: "Εμφανίζονται μόνο κατά την ανάπτυξη. Διαλέξτε έναν για σύνδεση.",
  },
});

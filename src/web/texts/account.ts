import { dictionary } from "./dictionary.ts";
import { sharedSignInTexts } from "./sign-in.ts";

/** Texts of the pages before sign-in. */
export const accountTexts = dictionary({
  ...sharedSignInTexts,
  ssoTitle: { en: "Sign in through your organization", el: "Σύνδεση μέσω του οργανισμού σας" },
  ssoOther: {
    en: "You are signed in as {email}. Continue as another person?",
    el: "Είστε συνδεδεμένοι ως {email}. Συνέχεια ως άλλο άτομο;",
  },
  ssoContinue: { en: "Continue", el: "Συνέχεια" },
  ssoStay: { en: "Stay signed in", el: "Παραμονή" },
  deadInvitationMember: {
    en: "It was used already, or it has expired. If you accepted it, its organization is in your list: open the console.",
    el: "Έχει ήδη χρησιμοποιηθεί ή έχει λήξει. Αν την αποδεχτήκατε, ο οργανισμός είναι στη λίστα σας: ανοίξτε την κονσόλα.",
  },
  newPassword: { en: "New password", el: "Νέος κωδικός πρόσβασης" },
  passwordHint: {
    en: "At least 10 characters. A few unrelated words are easy to remember.",
    el: "Τουλάχιστον 10 χαρακτήρες. Λίγες λέξεις, άσχετες μεταξύ τους, απομνημονεύονται εύκολα.",
  },
  firstName: { en: "First name", el: "Όνομα" },
  lastName: { en: "Last name", el: "Επώνυμο" },
  haveAccount: { en: "Do you have an account?", el: "Έχετε λογαριασμό;" },
  organization: { en: "Organization", el: "Οργανισμός" },
  organizationHint: {
    en: "Only to create your own organization. Leave empty if you were invited.",
    el: "Για να ιδρύσετε δικό σας. Αφήστε το κενό αν σας προσκαλεί κάποιος.",
  },
  registrationClosed: { en: "Registration is closed.", el: "Οι εγγραφές είναι κλειστές." },
  mailSent: { en: "Check your mail", el: "Δείτε τα email σας" },
  mailSentAbout: {
    en: "We sent a link to {email}. Open it to confirm your address, then sign in. The link works for 24 hours.",
    el: "Στείλαμε έναν σύνδεσμο στο {email}. Ανοίξτε τον για να επιβεβαιώσετε τη διεύθυνσή σας και μετά συνδεθείτε. Ο σύνδεσμος ισχύει 24 ώρες.",
  },
  toSignIn: { en: "Go to sign in", el: "Στη σύνδεση" },
  confirmTitle: { en: "Confirm your email address", el: "Επιβεβαιώστε τη διεύθυνσή σας" },
  confirmAbout: {
    en: "If you did not register here, close this page. The account stays unconfirmed.",
    el: "Αν δεν εγγραφήκατε εδώ, κλείστε τη σελίδα: ο λογαριασμός μένει ανεπιβεβαίωτος.",
  },
  confirm: { en: "Confirm the address", el: "Επιβεβαίωση της διεύθυνσης" },
  emailConfirmTitle: {
    en: "Confirm the change of your email address",
    el: "Επιβεβαιώστε την αλλαγή της διεύθυνσης email σας",
  },
  emailConfirmAbout: {
    en: "The change is complete when both addresses have confirmed it.",
    el: "Η αλλαγή ολοκληρώνεται όταν την επιβεβαιώσουν και οι δύο διευθύνσεις.",
  },
  emailConfirm: { en: "Confirm the change", el: "Επιβεβαίωση αλλαγής" },
  emailChanged: { en: "Your email address was changed", el: "Η διεύθυνση email σας άλλαξε" },
  emailWaits: {
    en: "Confirmed. The other address must confirm, too.",
    el: "Επιβεβαιώθηκε. Πρέπει να επιβεβαιώσει και η άλλη διεύθυνση.",
  },
  emailCancelTitle: {
    en: "Cancel the change of your email address",
    el: "Ακύρωση της αλλαγής της διεύθυνσης email σας",
  },
  emailCancelAbout: {
    en: "This also signs you out everywhere, and removes what was added since 24 hours before the request: passkeys, providers, the second factor and the password. If you did not ask for the change, choose a new password afterwards.",
    el: "Έτσι αποσυνδέεστε και από παντού, και αφαιρείται ό,τι προστέθηκε από 24 ώρες πριν από το αίτημα: κλειδιά πρόσβασης, πάροχοι, δεύτερος παράγοντας και κωδικός πρόσβασης. Αν δεν ζητήσατε την αλλαγή, επιλέξτε μετά νέο κωδικό πρόσβασης.",
  },
  emailCancel: { en: "Cancel the change", el: "Ακύρωση αλλαγής" },
  emailCanceled: { en: "The change was canceled", el: "Η αλλαγή ακυρώθηκε" },
  emailUndoTitle: {
    en: "Undo the change of your email address",
    el: "Αναίρεση της αλλαγής της διεύθυνσης email σας",
  },
  emailUndoAbout: {
    en: "Your account gets its former address again. Everybody is signed out, and what was added since 24 hours before the request is removed: passkeys, providers, the second factor and the password. You get a mail to choose a password.",
    el: "Ο λογαριασμός σας αποκτά ξανά την προηγούμενη διεύθυνση. Όλοι αποσυνδέονται και ό,τι προστέθηκε από 24 ώρες πριν από το αίτημα αφαιρείται: κλειδιά πρόσβασης, πάροχοι, δεύτερος παράγοντας και κωδικός πρόσβασης. Θα λάβετε μήνυμα για να επιλέξετε κωδικό.",
  },
  emailUndo: { en: "Undo the change", el: "Αναίρεση αλλαγής" },
  emailUndone: {
    en: "The change was undone. We sent you a mail to choose a password.",
    el: "Η αλλαγή αναιρέθηκε. Σας στείλαμε μήνυμα για να επιλέξετε κωδικό πρόσβασης.",
  },
  emailNeedsSession: {
    en: "Sign in first, then confirm the change.",
    el: "Συνδεθείτε πρώτα και μετά επιβεβαιώστε την αλλαγή.",
  },
  dead: { en: "This link no longer works", el: "Αυτός ο σύνδεσμος δεν ισχύει πια" },
  deadVerify: {
    en: "A link works once, within 24 hours. If you have already confirmed your address, sign in. Otherwise enter your address to get a new link.",
    el: "Οι σύνδεσμοι ισχύουν μία φορά, εντός 24 ωρών. Αν έχετε ήδη επιβεβαιώσει τη διεύθυνσή σας, απλώς συνδεθείτε. Αλλιώς γράψτε τη και σας στέλνουμε νέο σύνδεσμο.",
  },
  forgotTitle: { en: "Choose a new password", el: "Νέος κωδικός πρόσβασης" },
  forgotAbout: {
    en: "Enter your email address. We will send you a link to choose a new password.",
    el: "Γράψτε τη διεύθυνσή σας και σας στέλνουμε σύνδεσμο για νέο κωδικό.",
  },
  sendLink: { en: "Send the link", el: "Αποστολή συνδέσμου" },
  forgotSent: {
    en: "If an account with the address {email} exists, we have sent a link. It works for one hour.",
    el: "Αν υπάρχει λογαριασμός με τη διεύθυνση {email}, στείλαμε έναν σύνδεσμο. Ισχύει μία ώρα.",
  },
  resetAbout: { en: "You will be signed out everywhere else.", el: "Θα αποσυνδεθείτε από παντού αλλού." },
  save: { en: "Save the password", el: "Αποθήκευση του κωδικού" },
  deadReset: {
    en: "A password link works once, within one hour.",
    el: "Οι σύνδεσμοι για νέο κωδικό ισχύουν μία φορά, εντός μίας ώρας.",
  },
  anotherLink: { en: "Request another link", el: "Αίτημα για νέο σύνδεσμο" },
  invited: { en: "Join {organization}", el: "Συμμετοχή στον οργανισμό {organization}" },
  invitation: { en: "Invitation", el: "Πρόσκληση" },
  invitedNew: {
    en: "The invitation is for {email}. Create your account to accept it.",
    el: "Η πρόσκληση είναι για {email}. Δημιουργήστε λογαριασμό για να την αποδεχτείτε.",
  },
  invitedOld: {
    en: "The invitation is for {email}, who has an account. Sign in to accept it.",
    el: "Η πρόσκληση είναι για {email}, που έχει λογαριασμό. Συνδεθείτε για να την αποδεχτείτε.",
  },
  invitedYou: { en: "You are signed in as {email}.", el: "Έχετε συνδεθεί ως {email}." },
  invitedOther: {
    en: "The invitation is for {email}, but you are signed in as {me}. Sign out to continue.",
    el: "Η πρόσκληση είναι για {email}, αλλά έχετε συνδεθεί ως {me}. Αποσυνδεθείτε για να συνεχίσετε.",
  },
  expires: { en: "The link works until {date}.", el: "Ο σύνδεσμος ισχύει μέχρι {date}." },
  accept: { en: "Accept the invitation", el: "Αποδοχή της πρόσκλησης" },
  createAndJoin: { en: "Create the account and join", el: "Δημιουργία και συμμετοχή" },
  signInToAccept: { en: "Sign in to accept", el: "Σύνδεση για αποδοχή" },
  signOutToGoOn: { en: "Sign out and continue", el: "Αποσύνδεση και συνέχεια" },
  deadInvitation: {
    en: "The invitation may have expired, been used, been revoked, or been replaced by a newer email. Ask for a new invitation.",
    el: "Μπορεί να έληξε, να χρησιμοποιήθηκε ήδη, να ανακλήθηκε ή να αντικαταστάθηκε από νεότερο μήνυμα. Ζητήστε από όποιον σας προσκάλεσε νέα πρόσκληση.",
  },
  unavailable: {
    en: "This address belonged to an account and cannot be used. Ask to be invited with a different address.",
    el: "Αυτή η διεύθυνση ανήκε σε λογαριασμό και δεν μπορεί να χρησιμοποιηθεί. Ζητήστε πρόσκληση σε άλλη διεύθυνση.",
  },
  alreadyMember: {
    en: "You are already a member of this organization.",
    el: "Είστε ήδη μέλος αυτού του οργανισμού.",
  },
  suspendedInvitation: {
    en: "The organization is currently suspended. Try the link again later.",
    el: "Ο οργανισμός είναι προς το παρόν σε αναστολή. Δοκιμάστε τον σύνδεσμο αργότερα.",
  },
  toHome: { en: "Go to the home page", el: "Στην αρχική σελίδα" },
  proven: { en: "You can close this window.", el: "Μπορείτε να κλείσετε αυτό το παράθυρο." },
  callback: { en: "Sign-in with another service", el: "Σύνδεση μέσω άλλης υπηρεσίας" },
  oneMoment: { en: "One moment", el: "Μια στιγμή" },
  notSignedIn: { en: "Sign-in failed", el: "Η σύνδεση απέτυχε" },
  back: { en: "Back", el: "Πίσω" },
});

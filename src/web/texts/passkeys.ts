import { dictionary } from "./dictionary.ts";

/** Texts about passkeys, the change of email, and the dialog that asks for a proof of identity. */
export const passkeyTexts = dictionary({
  passkeys: { en: "Passkeys", el: "Κλειδιά πρόσβασης" },
  passkeysAbout: {
    en: "Sign in with the lock of your device, your phone or a security key instead of a password. A passkey cannot be guessed, and works on this site only.",
    el: "Συνδεθείτε με το κλείδωμα της συσκευής σας, με το τηλέφωνο ή με κλειδί ασφαλείας αντί για κωδικό. Ένα κλειδί πρόσβασης δεν μαντεύεται και λειτουργεί μόνο σε αυτόν τον ιστότοπο.",
  },
  noPasskeys: { en: "You have no passkey yet.", el: "Δεν έχετε ακόμη κλειδί πρόσβασης." },
  unsupported: {
    en: "This browser does not support passkeys.",
    el: "Αυτό το πρόγραμμα περιήγησης δεν υποστηρίζει κλειδιά πρόσβασης.",
  },
  add: { en: "Add a passkey", el: "Προσθήκη κλειδιού πρόσβασης" },
  addAbout: {
    en: "To use your phone, choose it in the browser’s dialog and scan the QR code.",
    el: "Για το τηλέφωνό σας, διαλέξτε το στο παράθυρο του προγράμματος περιήγησης και σαρώστε τον κωδικό QR.",
  },
  name: { en: "Name", el: "Όνομα" },
  rename: { en: "Rename", el: "Μετονομασία" },
  remove: { en: "Remove", el: "Αφαίρεση" },
  removeAbout: {
    en: "You can no longer sign in with “{name}”. Your device may keep its copy; delete it there, too.",
    el: "Δεν θα μπορείτε πια να συνδεθείτε με το «{name}». Η συσκευή σας ίσως κρατήσει το αντίγραφό της· διαγράψτε το και εκεί.",
  },
  lastWay: {
    en: "This is your only way to sign in, or your only second factor. Set a password or an authenticator app first.",
    el: "Είναι ο μόνος τρόπος σύνδεσής σας ή ο μόνος δεύτερος παράγοντας. Ορίστε πρώτα κωδικό ή εφαρμογή ελέγχου ταυτότητας.",
  },
  synced: { en: "Synced to your devices", el: "Συγχρονίζεται με τις συσκευές σας" },
  syncable: {
    en: "Can be synced, but is on one device only",
    el: "Μπορεί να συγχρονιστεί, αλλά βρίσκεται σε μία μόνο συσκευή",
  },
  bound: { en: "Bound to one device", el: "Δεμένο με μία συσκευή" },
  secondOnly: {
    en: "Second factor only: it does not sign in without the password",
    el: "Μόνο δεύτερος παράγοντας: δεν συνδέει χωρίς τον κωδικό πρόσβασης",
  },
  blocked: { en: "Blocked", el: "Αποκλεισμένο" },
  blockedAbout: {
    en: "It no longer works. Remove it and add a new one.",
    el: "Δεν λειτουργεί πια. Αφαιρέστε το και προσθέστε νέο.",
  },
  added: { en: "Added {date}", el: "Προστέθηκε {date}" },
  used: { en: "Last used {date}", el: "Τελευταία χρήση {date}" },
  unused: { en: "Never used", el: "Δεν έχει χρησιμοποιηθεί" },
  exists: {
    en: "This device or key already has a passkey of your account.",
    el: "Αυτή η συσκευή έχει ήδη κλειδί πρόσβασης του λογαριασμού σας.",
  },
  notAdded: {
    en: "No passkey was added. Try again, or use another device. A security key without a PIN or free storage can be added only if your account has a password.",
    el: "Δεν προστέθηκε κλειδί πρόσβασης. Δοκιμάστε ξανά ή με άλλη συσκευή. Ένα κλειδί ασφαλείας χωρίς PIN ή ελεύθερο χώρο προστίθεται μόνο αν ο λογαριασμός σας έχει κωδικό πρόσβασης.",
  },
  notUsed: {
    en: "No passkey was used. Try again, or choose another way.",
    el: "Δεν χρησιμοποιήθηκε κλειδί πρόσβασης. Δοκιμάστε ξανά ή διαλέξτε άλλον τρόπο.",
  },
  confirmTitle: { en: "Confirm that it is you", el: "Επιβεβαιώστε ότι είστε εσείς" },
  confined: {
    en: "Shown once you have confirmed that it is you.",
    el: "Εμφανίζεται αφού επιβεβαιώσετε ότι είστε εσείς.",
  },
  confirmAbout: {
    en: "This needs a recent proof of who you are. It continues afterwards.",
    el: "Χρειάζεται πρόσφατη απόδειξη της ταυτότητάς σας. Ύστερα η ενέργεια συνεχίζεται.",
  },
  confirm: { en: "Confirm", el: "Επιβεβαίωση" },
  usePasskey: { en: "Use a passkey", el: "Με κλειδί πρόσβασης" },
  usePassword: { en: "Use your password instead", el: "Με τον κωδικό πρόσβασης" },
  password: { en: "Password", el: "Κωδικός πρόσβασης" },
  wrongPassword: { en: "The password is wrong.", el: "Ο κωδικός πρόσβασης είναι λάθος." },
  code: { en: "Authenticator code", el: "Κωδικός της εφαρμογής" },
  recoveryCode: { en: "Recovery code", el: "Κωδικός ανάκτησης" },
  useRecoveryCode: { en: "Use a recovery code instead", el: "Με κωδικό ανάκτησης" },
  useKey: { en: "Use a security key or passkey instead", el: "Με κλειδί ασφαλείας ή κλειδί πρόσβασης" },
  useCode: { en: "Use an authenticator code instead", el: "Με κωδικό της εφαρμογής" },
  provider: { en: "Continue with {provider}", el: "Συνέχεια με {provider}" },
  providerAbout: {
    en: "A window of {provider} opens. Sign in there; this page continues by itself.",
    el: "Ανοίγει ένα παράθυρο της υπηρεσίας {provider}. Συνδεθείτε εκεί· αυτή η σελίδα συνεχίζει μόνη της.",
  },
  popupBlocked: {
    en: "The browser blocked the window. Allow windows of this site, then try again.",
    el: "Το παράθυρο εμποδίστηκε. Επιτρέψτε τα παράθυρα αυτού του ιστότοπου και δοκιμάστε ξανά.",
  },
  resetMail: {
    en: "Your account has no password or other proof. Sign out, set a password with “Forgot password?”, and sign in with it.",
    el: "Ο λογαριασμός σας δεν έχει κωδικό ή άλλη απόδειξη. Αποσυνδεθείτε, ορίστε κωδικό από το «Ξεχάσατε τον κωδικό;» και συνδεθείτε με αυτόν.",
  },
  email: { en: "Email address", el: "Διεύθυνση email" },
  newEmail: { en: "New email address", el: "Νέα διεύθυνση email" },
  changeEmail: { en: "Change the email address", el: "Αλλαγή της διεύθυνσης email" },
  changeEmailAbout: {
    en: "We send a link to both addresses. Open both, and the new one while you are signed in.",
    el: "Στέλνουμε σύνδεσμο και στις δύο διευθύνσεις. Ανοίξτε και τους δύο, τον νέο όσο είστε συνδεδεμένοι.",
  },
  ownEmail: { en: "This is your email address already.", el: "Αυτή είναι ήδη η διεύθυνσή σας." },
  pending: {
    en: "{email} will be your address when the links are opened.",
    el: "Η διεύθυνσή σας θα γίνει {email} όταν ανοιχτούν οι σύνδεσμοι.",
  },
  unopened: {
    en: "Not yet opened: the link sent to {email}.",
    el: "Δεν ανοίχτηκε ακόμη ο σύνδεσμος προς {email}.",
  },
  opened: { en: "Opened: the link sent to {email}.", el: "Ανοίχτηκε ο σύνδεσμος προς {email}." },
  expires: { en: "The links work until {date}.", el: "Οι σύνδεσμοι ισχύουν έως {date}." },
  cancelChange: { en: "Cancel the change", el: "Ακύρωση της αλλαγής" },
  undoUntil: {
    en: "Your former address can undo the last change until {date}.",
    el: "Η προηγούμενη διεύθυνση μπορεί να αναιρέσει την τελευταία αλλαγή έως {date}.",
  },
  turnOnByPasskey: { en: "Turn on with a passkey", el: "Ενεργοποίηση με κλειδί πρόσβασης" },
});

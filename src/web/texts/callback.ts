import { dictionary } from "./dictionary.ts";

/** Explanations of failed third-party sign-ins, by error code. */
export const callbackTexts = dictionary({
  ACCESS_DENIED: {
    en: "You did not allow the sign-in at the other service. Try again.",
    el: "Δεν επιτρέψατε τη σύνδεση στην άλλη υπηρεσία. Δοκιμάστε πάλι.",
  },
  INVALID_STATE: {
    en: "The sign-in took too long, or began in another browser. Try again.",
    el: "Η σύνδεση κράτησε πολλή ώρα ή ξεκίνησε σε άλλο πρόγραμμα περιήγησης. Δοκιμάστε πάλι.",
  },
  EMAIL_NOT_VERIFIED: {
    en: "The other service has not confirmed your email address.",
    el: "Η άλλη υπηρεσία δεν έχει επιβεβαιώσει τη διεύθυνση email σας.",
  },
  ACCOUNT_EXISTS: {
    en: "There is an account with your email address. Sign in with your password, then add the other service in your profile.",
    el: "Υπάρχει λογαριασμός με τη διεύθυνση email σας. Συνδεθείτε με τον κωδικό σας και προσθέστε την άλλη υπηρεσία στο προφίλ σας.",
  },
  EMAIL_UNAVAILABLE: {
    en: "This email address belonged to an account and cannot be used.",
    el: "Αυτή η διεύθυνση email ανήκε σε λογαριασμό και δεν μπορεί να χρησιμοποιηθεί.",
  },
  REGISTRATION_CLOSED: {
    en: "Registration is closed. If you were invited, open the link of the invitation.",
    el: "Οι εγγραφές είναι κλειστές. Αν έχετε πρόσκληση, ανοίξτε τον σύνδεσμό της.",
  },
  IDENTITY_IN_USE: {
    en: "The account at the other service is already linked to another user here.",
    el: "Ο λογαριασμός της άλλης υπηρεσίας είναι ήδη συνδεδεμένος με άλλον χρήστη εδώ.",
  },
  SSO_DISABLED: {
    en: "The organization's sign-in is turned off, or was just changed. Try again, or ask an administrator.",
    el: "Η σύνδεση του οργανισμού είναι απενεργοποιημένη ή μόλις άλλαξε. Δοκιμάστε ξανά ή απευθυνθείτε σε διαχειριστή.",
  },
  DOMAIN_MISMATCH: {
    en: "Your provider signed you in, but your address is in none of the organization's verified domains. Ask an administrator.",
    el: "Ο πάροχος σάς αναγνώρισε, αλλά η διεύθυνσή σας δεν ανήκει σε επαληθευμένο τομέα του οργανισμού. Απευθυνθείτε σε διαχειριστή.",
  },
  ACCOUNT_NOT_ALLOWED: {
    en: "This account cannot be used through an organization. Sign in with its password.",
    el: "Αυτός ο λογαριασμός δεν χρησιμοποιείται μέσω οργανισμού. Συνδεθείτε με τον κωδικό του.",
  },
  NOT_A_MEMBER: {
    en: "Your provider signed you in, but you are not a member of the organization. Ask an administrator to invite you.",
    el: "Ο πάροχος σάς αναγνώρισε, αλλά δεν είστε μέλος του οργανισμού. Ζητήστε πρόσκληση από διαχειριστή.",
  },
  PLAN_LIMIT_REACHED: {
    en: "The organization has no free seat. Ask an administrator.",
    el: "Ο οργανισμός δεν έχει ελεύθερη θέση. Απευθυνθείτε σε διαχειριστή.",
  },
  ORGANIZATION_SUSPENDED: { en: "The organization is suspended.", el: "Ο οργανισμός είναι σε αναστολή." },
  PROVIDER_ERROR: {
    en: "The service that signs you in did not respond as expected. Try again later, or ask your administrator.",
    el: "Η υπηρεσία που σας συνδέει δεν απάντησε όπως έπρεπε. Δοκιμάστε αργότερα ή ρωτήστε τον διαχειριστή σας.",
  },
  TOO_MANY_REQUESTS: {
    en: "There were too many attempts. Wait a minute and try again.",
    el: "Έγιναν πάρα πολλές προσπάθειες. Περιμένετε ένα λεπτό και δοκιμάστε πάλι.",
  },
  UNKNOWN: { en: "The sign-in did not succeed. Try again.", el: "Η σύνδεση δεν πέτυχε. Δοκιμάστε πάλι." },
});

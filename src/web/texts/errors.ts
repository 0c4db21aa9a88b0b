import { dictionary } from "./dictionary.ts";
import { generalErrors } from "./general-error.ts";

/** A sentence for every error code but those of the product. A code without a sentence is a type error in src/web/features.ts. */
export const errorTexts = dictionary({
  ALREADY_MEMBER: { en: "This person is already a member.", el: "Αυτό το άτομο είναι ήδη μέλος." },
  API_KEY_NOT_ALLOWED: { en: "API keys may not do this.", el: "Αυτό δεν επιτρέπεται με κλειδί API." },
  APP_NOT_ALLOWED: { en: "Apps may not do this.", el: "Αυτό δεν επιτρέπεται σε εφαρμογές." },
  BOT_CHECK_REQUIRED: {
    en: "Confirm that you are not a robot, then try again.",
    el: "Επιβεβαιώστε ότι δεν είστε ρομπότ και δοκιμάστε ξανά.",
  },
  BILLING_NOT_CONFIGURED: {
    en: "Payment is not set up for this service.",
    el: "Οι πληρωμές δεν έχουν ρυθμιστεί σε αυτή την υπηρεσία.",
  },
  BREAK_GLASS_REQUIRED: {
    en: "Somebody must remain who can act without single sign-on, with two factors.",
    el: "Πρέπει να μείνει κάποιο άτομο που μπορεί να ενεργεί χωρίς ενιαία σύνδεση, με δύο παράγοντες.",
  },
  CLIENT_NOT_APPROVED: {
    en: "Your administrator has not approved this app.",
    el: "Ο διαχειριστής σας δεν έχει εγκρίνει αυτή την εφαρμογή.",
  },
  CONFLICT: {
    en: "This conflicts with a change by somebody else. Reload and try again.",
    el: "Κάποιος άλλος το άλλαξε μόλις τώρα. Φορτώστε ξανά τη σελίδα και δοκιμάστε πάλι.",
  },
  CONNECTION_NOT_TESTED: { en: "Test the connection first.", el: "Δοκιμάστε πρώτα τη σύνδεση." },
  EMAIL_NOT_VERIFIED: {
    en: "Confirm your email address first. Open the link that we sent you.",
    el: "Επιβεβαιώστε πρώτα το email σας με τον σύνδεσμο που σας στείλαμε.",
  },
  EMAIL_TAKEN: {
    en: "This email address is already in use.",
    el: "Αυτή η διεύθυνση email χρησιμοποιείται ήδη.",
  },
  EMAIL_UNAVAILABLE: {
    en: "This email address belonged to an account and cannot be used.",
    el: "Αυτή η διεύθυνση email ανήκε σε λογαριασμό και δεν μπορεί να χρησιμοποιηθεί.",
  },
  FORBIDDEN: { en: "Your roles do not allow this.", el: "Οι ρόλοι σας δεν το επιτρέπουν." },
  DOMAIN_NOT_VERIFIED: {
    en: "The domain is not verified yet. Publish its record in DNS first.",
    el: "Ο τομέας δεν έχει επαληθευτεί ακόμη. Δημοσιεύστε πρώτα την εγγραφή του στο DNS.",
  },
  DOMAIN_TAKEN: {
    en: "Another organization has verified this domain.",
    el: "Ένας άλλος οργανισμός έχει επαληθεύσει αυτόν τον τομέα.",
  },
  CURSOR_EXPIRED: {
    en: "Older events are no longer kept. Start again from the oldest one.",
    el: "Τα παλαιότερα συμβάντα δεν διατηρούνται πλέον. Ξεκινήστε ξανά από το παλαιότερο.",
  },
  IDEMPOTENCY_KEY_IN_USE: {
    en: "The same action is still running. Wait a moment.",
    el: "Η ίδια ενέργεια εκτελείται ακόμη. Περιμένετε λίγο.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    en: "This action was already carried out with other data. Reload the page.",
    el: "Η ενέργεια έγινε ήδη με άλλα στοιχεία. Φορτώστε ξανά τη σελίδα.",
  },
  IMAGE_TOO_LARGE: {
    en: "The image is too large. Choose a smaller one.",
    el: "Η εικόνα είναι πολύ μεγάλη. Επιλέξτε μικρότερη.",
  },
  IP_NOT_ALLOWED: {
    en: "The API key may not be used from this address.",
    el: "Το κλειδί API δεν μπορεί να χρησιμοποιηθεί από αυτή τη διεύθυνση.",
  },
  INSUFFICIENT_SCOPE: {
    en: "The app was not given this permission.",
    el: "Αυτό δεν έχει επιτραπεί στην εφαρμογή.",
  },
  INTERNAL_ERROR: {
    en: "Something went wrong on our side. Try again later.",
    el: "Κάτι πήγε στραβά από την πλευρά μας. Δοκιμάστε αργότερα.",
  },
  INVALID_AUTHORIZATION_REQUEST: {
    en: "The app asked for something that is not possible. Start again from the app.",
    el: "Η εφαρμογή ζήτησε κάτι που δεν γίνεται. Ξεκινήστε ξανά από την εφαρμογή.",
  },
  INVALID_CREDENTIALS: {
    en: "The email address or the password is wrong.",
    el: "Το email ή ο κωδικός πρόσβασης είναι λάθος.",
  },
  INVALID_OR_EXPIRED_TOKEN: {
    en: "This link is no longer valid. Request a new one.",
    el: "Αυτός ο σύνδεσμος δεν ισχύει πια. Ζητήστε νέο.",
  },
  INVALID_REFRESH_TOKEN: {
    en: "Your session has ended. Sign in again.",
    el: "Η συνεδρία σας έληξε. Συνδεθείτε ξανά.",
  },
  INVALID_SIGNATURE: { en: "The signature is not valid.", el: "Η υπογραφή δεν είναι έγκυρη." },
  INVALID_PASSKEY: {
    en: "The passkey was not accepted. Try again, or sign in another way.",
    el: "Το κλειδί πρόσβασης δεν έγινε δεκτό. Δοκιμάστε ξανά ή συνδεθείτε με άλλον τρόπο.",
  },
  INVALID_TWO_FACTOR_CODE: {
    en: "The code is wrong or was already used.",
    el: "Ο κωδικός είναι λάθος ή έχει ήδη χρησιμοποιηθεί.",
  },
  INVITATION_EMAIL_MISMATCH: {
    en: "The invitation is for another email address.",
    el: "Η πρόσκληση είναι για άλλη διεύθυνση email.",
  },
  LAST_ADMIN: {
    en: "The organization must keep at least one administrator. Make another member an administrator first.",
    el: "Ο οργανισμός πρέπει να έχει τουλάχιστον έναν διαχειριστή. Ορίστε πρώτα έναν άλλον.",
  },
  MALFORMED_IMAGE: {
    en: "The image is damaged. Choose another one.",
    el: "Η εικόνα είναι κατεστραμμένη. Επιλέξτε άλλη.",
  },
  MALFORMED_JSON: { en: "The request could not be read.", el: "Το αίτημα δεν ήταν δυνατό να διαβαστεί." },
  NOT_A_MEMBER: {
    en: "You are not a member of this organization.",
    el: "Δεν είστε μέλος αυτού του οργανισμού.",
  },
  NOT_FOUND: {
    en: "This does not exist, or you have no access to it.",
    el: "Αυτό δεν υπάρχει ή δεν έχετε πρόσβαση.",
  },
  NOT_SERVED_HERE: { en: "This is not available here.", el: "Αυτό δεν είναι διαθέσιμο εδώ." },
  ORGANIZATION_OVERRIDE_FORBIDDEN: {
    en: "Only platform administrators can work on another organization.",
    el: "Μόνο οι διαχειριστές της πλατφόρμας ενεργούν σε άλλον οργανισμό.",
  },
  ORGANIZATION_OVERRIDE_NOT_ALLOWED: {
    en: "This cannot be done on behalf of an organization.",
    el: "Αυτό δεν μπορεί να γίνει για λογαριασμό οργανισμού.",
  },
  ORGANIZATION_REQUIRED: { en: "Choose an organization first.", el: "Επιλέξτε πρώτα έναν οργανισμό." },
  ORGANIZATION_SUSPENDED: {
    en: "The organization is suspended. Ask why under “My tickets”.",
    el: "Ο οργανισμός είναι σε αναστολή. Ρωτήστε τον λόγο από «Τα αιτήματά μου».",
  },
  PAYLOAD_TOO_LARGE: {
    en: "This is too much to send at once. Shorten the text or remove images.",
    el: "Είναι πάρα πολλά για να σταλούν μαζί. Συντομεύστε το κείμενο ή αφαιρέστε εικόνες.",
  },
  PERMISSION_NOT_HELD: {
    en: "You can only assign or remove permissions that you have yourself.",
    el: "Μπορείτε να δώσετε ή να αφαιρέσετε μόνο δικαιώματα που έχετε και εσείς.",
  },
  PLAN_FEATURE_REQUIRED: {
    en: "The plan of your organization does not include this. An administrator can choose another one under “Usage & billing”.",
    el: "Το πακέτο του οργανισμού σας δεν το περιλαμβάνει. Ένας διαχειριστής μπορεί να επιλέξει άλλο στη σελίδα «Χρήση και χρέωση».",
  },
  PLAN_LIMIT_REACHED: {
    en: "The limit of your organization's plan is reached. Delete something, or ask for a larger plan.",
    el: "Ο οργανισμός σας έφτασε το όριο του πακέτου του. Διαγράψτε κάτι ή ζητήστε μεγαλύτερο πακέτο.",
  },
  PLATFORM_ADMIN_NO_SWITCH: {
    en: "Platform administrators do not switch organizations.",
    el: "Οι διαχειριστές της πλατφόρμας δεν αλλάζουν οργανισμό.",
  },
  PLATFORM_ADMIN_REQUIRED: {
    en: "Only platform administrators may do this.",
    el: "Αυτό επιτρέπεται μόνο στους διαχειριστές της πλατφόρμας.",
  },
  PROVIDER_ERROR: {
    en: "The other service did not respond as expected. Try again later.",
    el: "Η άλλη υπηρεσία δεν απάντησε όπως έπρεπε. Δοκιμάστε αργότερα.",
  },
  PASSKEY_EXISTS: {
    en: "An account has this passkey already.",
    el: "Κάποιος λογαριασμός έχει ήδη αυτό το κλειδί πρόσβασης.",
  },
  REAUTHENTICATION_REQUIRED: {
    en: "Confirm that it is you, then try again.",
    el: "Επιβεβαιώστε ότι είστε εσείς και δοκιμάστε ξανά.",
  },
  REQUEST_TIMEOUT: {
    en: "The request took too long. Try again.",
    el: "Το αίτημα καθυστέρησε πολύ. Δοκιμάστε πάλι.",
  },
  REGISTRATION_CLOSED: { en: "Registration is closed.", el: "Οι εγγραφές είναι κλειστές." },
  RESENT_TOO_RECENTLY: {
    en: "This was sent a moment ago. Wait a little before sending it again.",
    el: "Στάλθηκε πριν από λίγο. Περιμένετε πριν το στείλετε ξανά.",
  },
  ROLE_IN_USE: {
    en: "The role is still in use. Remove it from members and invitations first.",
    el: "Ο ρόλος χρησιμοποιείται ακόμη. Αφαιρέστε τον πρώτα από μέλη και προσκλήσεις.",
  },
  SERVICE_UNAVAILABLE: {
    en: "The service is busy. Try again in a moment.",
    el: "Η υπηρεσία είναι απασχολημένη. Δοκιμάστε σε λίγο.",
  },
  SLUG_TAKEN: {
    en: "This short name is already in use. Choose another one.",
    el: "Αυτό το σύντομο όνομα χρησιμοποιείται ήδη. Επιλέξτε άλλο.",
  },
  TICKET_CLOSED: {
    en: "The ticket is closed and accepts no more replies.",
    el: "Το αίτημα υποστήριξης έχει κλείσει και δεν δέχεται άλλες απαντήσεις.",
  },
  SSO_REQUIRED: {
    en: "Sign in through the organization to do this.",
    el: "Συνδεθείτε μέσω του οργανισμού για να συνεχίσετε.",
  },
  TOO_MANY_IMAGES: {
    en: "These are too many images. Remove some.",
    el: "Οι εικόνες είναι πάρα πολλές. Αφαιρέστε μερικές.",
  },
  TOO_MANY_REQUESTS: {
    en: "There were too many attempts. Wait a minute and try again.",
    el: "Έγιναν πάρα πολλές προσπάθειες. Περιμένετε ένα λεπτό και δοκιμάστε πάλι.",
  },
  TWO_FACTOR_ALREADY_ENABLED: {
    en: "Two-factor authentication is already on.",
    el: "Ο έλεγχος δύο παραγόντων είναι ήδη ενεργός.",
  },
  TWO_FACTOR_NOT_ENABLED: {
    en: "Two-factor authentication is not on.",
    el: "Ο έλεγχος δύο παραγόντων δεν είναι ενεργός.",
  },
  TWO_FACTOR_REQUIRED: {
    en: "Set up two-factor authentication first.",
    el: "Ρυθμίστε πρώτα τον έλεγχο δύο παραγόντων.",
  },
  UNAUTHENTICATED: {
    en: "Your session has ended. Sign in again.",
    el: "Η συνεδρία σας έληξε. Συνδεθείτε ξανά.",
  },
  UNIT_CYCLE: {
    en: "A unit cannot be moved below itself.",
    el: "Μια μονάδα δεν μπορεί να μετακινηθεί κάτω από τον εαυτό της.",
  },
  UNIT_FORBIDDEN: {
    en: "Your roles do not include this unit.",
    el: "Οι ρόλοι σας δεν περιλαμβάνουν αυτή τη μονάδα.",
  },
  UNIT_NOT_EMPTY: {
    en: "The unit is not empty. Remove its sub-units, members, invitations and service accounts first.",
    el: "Η μονάδα δεν είναι κενή. Αφαιρέστε πρώτα τις υπομονάδες, τα μέλη, τις προσκλήσεις και τους λογαριασμούς υπηρεσιών της.",
  },
  UNSUPPORTED_IMAGE: {
    en: "Images of this kind are not accepted. Use PNG, JPEG, WebP or GIF.",
    el: "Εικόνες αυτού του είδους δεν γίνονται δεκτές. Χρησιμοποιήστε PNG, JPEG, WebP ή GIF.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    en: "The request could not be read.",
    el: "Το αίτημα δεν ήταν δυνατό να διαβαστεί.",
  },
  UPLOAD_QUOTA_EXCEEDED: {
    en: "You have sent as many images as a day allows. Try again tomorrow.",
    el: "Στείλατε όσες εικόνες επιτρέπονται σε μία ημέρα. Δοκιμάστε ξανά αύριο.",
  },
  VALIDATION_FAILED: {
    en: "Something you entered is not accepted. Check your input.",
    el: "Κάτι από όσα συμπληρώσατε δεν γίνεται δεκτό. Ελέγξτε το.",
  },
  NETWORK_ERROR: generalErrors.unreachable,
  TIMEOUT: {
    en: "The service did not respond in time. Try again.",
    el: "Η υπηρεσία άργησε πολύ να απαντήσει. Δοκιμάστε πάλι.",
  },
  UNEXPECTED_RESPONSE: {
    en: "The service cannot be reached at the moment. Try again.",
    el: "Η υπηρεσία δεν είναι προσβάσιμη αυτή τη στιγμή. Δοκιμάστε πάλι.",
  },
});

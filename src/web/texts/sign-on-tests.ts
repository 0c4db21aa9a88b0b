import { dictionary } from "./dictionary.ts";

export const connectionStateTexts = dictionary({
  DRAFT: { en: "Draft", el: "Πρόχειρη" },
  ENABLED: { en: "On", el: "Ενεργή" },
  DISABLED: { en: "Off", el: "Ανενεργή" },
  tested: { en: "Tested", el: "Δοκιμασμένη" },
  notTested: { en: "Not tested", el: "Χωρίς δοκιμή" },
  lastError: { en: "Last error, {ago}: {reason}", el: "Τελευταίο σφάλμα, {ago}: {reason}" },
  secretExpires: { en: "The client secret expires {ago}.", el: "Το client secret λήγει {ago}." },
  secretExpired: { en: "The client secret has expired.", el: "Το client secret έληξε." },
  PROVIDER_ERROR: {
    en: "The provider did not answer, or its answer was not valid.",
    el: "Ο πάροχος δεν απάντησε ή η απάντησή του δεν ήταν έγκυρη.",
  },
  CLIENT_REFUSED: {
    en: "The provider refused the client. Check client id and secret; the secret may have expired.",
    el: "Ο πάροχος δεν δέχτηκε τον client. Ελέγξτε client id και secret· ίσως το secret έληξε.",
  },
  EMAIL_MISSING: { en: "The provider sent no email address.", el: "Ο πάροχος δεν έστειλε διεύθυνση email." },
  EMAIL_NOT_VERIFIED: {
    en: "The provider says that the email address is not verified.",
    el: "Ο πάροχος λέει ότι η διεύθυνση email δεν είναι επαληθευμένη.",
  },
  DOMAIN_MISMATCH: {
    en: "The email address is not of a verified domain of the organization.",
    el: "Η διεύθυνση email δεν ανήκει σε επαληθευμένο τομέα του οργανισμού.",
  },
  NOT_A_MEMBER: {
    en: "The person is not a member, and the connection does not add this person. “Who comes in” on the page of the connection changes that.",
    el: "Το άτομο δεν είναι μέλος και η σύνδεση δεν το προσθέτει. Αυτό αλλάζει στη σελίδα της σύνδεσης, στο «Ποιοι μπαίνουν».",
  },
  GROUPS_MISSING: {
    en: "The provider sent no groups, or only a reference to them. Roles did not change.",
    el: "Ο πάροχος δεν έστειλε ομάδες ή έστειλε μόνο παραπομπή σε αυτές. Οι ρόλοι δεν άλλαξαν.",
  },
  GROUPS_TOO_MANY: {
    en: "The provider sent more than 1,000 groups. Roles did not change.",
    el: "Ο πάροχος έστειλε πάνω από 1.000 ομάδες. Οι ρόλοι δεν άλλαξαν.",
  },
  ASSIGNMENTS_TOO_MANY: {
    en: "The groups give more than 50 roles. Roles did not change.",
    el: "Οι ομάδες δίνουν πάνω από 50 ρόλους. Οι ρόλοι δεν άλλαξαν.",
  },
  NO_AUTH_TIME: {
    en: "The provider did not say when the person last entered a password there.",
    el: "Ο πάροχος δεν είπε πότε το άτομο έδωσε εκεί κωδικό.",
  },
  ACCESS_DENIED: {
    en: "The sign-in was cancelled at the provider, or the provider refused it.",
    el: "Η σύνδεση ακυρώθηκε στον πάροχο ή ο πάροχος την απέρριψε.",
  },
  ACCOUNT_NOT_ALLOWED: {
    en: "This account cannot sign in by a connection.",
    el: "Αυτός ο λογαριασμός δεν μπορεί να συνδεθεί μέσω παρόχου.",
  },
  EMAIL_UNAVAILABLE: {
    en: "The email address belonged to an account and cannot be used.",
    el: "Η διεύθυνση email ανήκε σε λογαριασμό και δεν μπορεί να χρησιμοποιηθεί.",
  },
  IDENTITY_IN_USE: {
    en: "Another person of the provider is linked to the account with this address. Remove that link first.",
    el: "Άλλο άτομο του παρόχου είναι ήδη συνδεδεμένο με τον λογαριασμό αυτής της διεύθυνσης. Αφαιρέστε το πρώτα.",
  },
  PLAN_LIMIT_REACHED: { en: "The plan has no free seat.", el: "Το πακέτο δεν έχει ελεύθερη θέση." },
  ORGANIZATION_SUSPENDED: { en: "The organization is suspended.", el: "Ο οργανισμός είναι σε αναστολή." },
  UNKNOWN: { en: "Something went wrong.", el: "Κάτι πήγε στραβά." },
});

export const connectionTestTexts = dictionary({
  step3: { en: "3. Test", el: "3. Δοκιμή" },
  about: {
    en: "You sign in at the provider, and see here what it says of you. A test changes nothing and signs nobody in.",
    el: "Συνδέεστε στον πάροχο και βλέπετε εδώ τι λέει για εσάς. Η δοκιμή δεν αλλάζει τίποτα και δεν συνδέει κανέναν.",
  },
  first: { en: "Make a connection first.", el: "Δημιουργήστε πρώτα μια σύνδεση με πάροχο." },
  connection: { en: "Connection to test", el: "Σύνδεση προς δοκιμή" },
  test: { en: "Test the connection", el: "Δοκιμή της σύνδεσης" },
  result: { en: "Result of the test", el: "Αποτέλεσμα της δοκιμής" },
  pending: { en: "The provider has not answered yet.", el: "Ο πάροχος δεν έχει απαντήσει ακόμη." },
  again: { en: "Look again", el: "Νέος έλεγχος" },
  gone: {
    en: "The result is no longer there. Results stay for 15 minutes. Test again.",
    el: "Το αποτέλεσμα δεν υπάρχει πια. Τα αποτελέσματα μένουν 15 λεπτά. Δοκιμάστε ξανά.",
  },
  failed: { en: "The test failed.", el: "Η δοκιμή απέτυχε." },
  passed: { en: "The provider works.", el: "Ο πάροχος λειτουργεί." },
  who: { en: "Person", el: "Άτομο" },
  noName: { en: "No name", el: "Χωρίς όνομα" },
  subject: { en: "Id at the provider", el: "Id στον πάροχο" },
  email: { en: "Email address", el: "Διεύθυνση email" },
  noEmail: { en: "None", el: "Καμία" },
  verified: { en: "{email}, verified by the provider", el: "{email}, επαληθευμένη από τον πάροχο" },
  notVerified: {
    en: "{email}, not verified by the provider",
    el: "{email}, όχι επαληθευμένη από τον πάροχο",
  },
  unsaid: {
    en: "{email}; the provider does not say whether it is verified",
    el: "{email}· ο πάροχος δεν λέει αν είναι επαληθευμένη",
  },
  groups: { en: "Groups", el: "Ομάδες" },
  noGroups: { en: "The provider sent no groups.", el: "Ο πάροχος δεν έστειλε ομάδες." },
  emptyGroups: { en: "The person is in no group.", el: "Το άτομο δεν ανήκει σε καμία ομάδα." },
  outcome: { en: "What would happen", el: "Τι θα γινόταν" },
  enter: {
    en: "The person would sign in. The account is linked already.",
    el: "Το άτομο θα συνδεόταν. Ο λογαριασμός του είναι ήδη συνδεδεμένος με τον πάροχο.",
  },
  link: {
    en: "The account with this address would be linked, and the person would sign in.",
    el: "Ο λογαριασμός με αυτή τη διεύθυνση θα συνδεόταν με τον πάροχο και το άτομο θα έμπαινε.",
  },
  "accept-invitation": {
    en: "The open invitation would be accepted, and the person would sign in.",
    el: "Η ανοιχτή πρόσκληση θα γινόταν δεκτή και το άτομο θα συνδεόταν.",
  },
  create: {
    en: "A new account would be made, and the person would become a member.",
    el: "Θα δημιουργούνταν νέος λογαριασμός και το άτομο θα γινόταν μέλος.",
  },
  refused: { en: "The person would not be let in.", el: "Το άτομο δεν θα γινόταν δεκτό." },
  roles: { en: "Roles by the connection", el: "Ρόλοι από τη σύνδεση" },
  enableAbout: {
    en: "The connection is tested, but not on. Turn it on to let people sign in.",
    el: "Η σύνδεση είναι δοκιμασμένη, αλλά όχι ενεργή. Ενεργοποιήστε την για να μπορούν όλοι να συνδέονται.",
  },
});

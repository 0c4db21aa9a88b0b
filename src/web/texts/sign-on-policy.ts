import { dictionary } from "./dictionary.ts";

/** Texts of the list of members who could not act. */
export const affectedTexts = dictionary({
  affected: {
    en: "{count} of {all} people could not act",
    el: "{count} από τα {all} άτομα δεν θα μπορούν να ενεργούν",
  },
  affectedOne: { en: "1 of {all} people could not act", el: "1 από τα {all} άτομα δεν θα μπορεί να ενεργεί" },
  nobody: { en: "Everyone could still act.", el: "Όλοι θα μπορούν ακόμη να ενεργούν." },
  unknown: {
    en: "To see who could not act, you need permission to see all members.",
    el: "Για να δείτε ποιοι δεν θα μπορούν να ενεργούν, χρειάζεστε πρόσβαση σε όλα τα μέλη.",
  },
  "no-identity": { en: "{count} without sign-in", el: "{count} χωρίς σύνδεση μέσω του οργανισμού" },
  "outside-domains": { en: "{count} outside your domains", el: "{count} εκτός των τομέων σας" },
  "no-second-factor": { en: "{count} without a second factor", el: "{count} χωρίς δεύτερο παράγοντα" },
  list: { en: "People who could not act", el: "Όσοι δεν θα μπορούν να ενεργούν" },
  lacksIdentity: {
    en: "has not signed in through the organization yet",
    el: "δεν έχει συνδεθεί ακόμη μέσω του οργανισμού",
  },
  lacksDomain: { en: "address outside your domains", el: "διεύθυνση εκτός των τομέων σας" },
  lacksSecondFactor: { en: "no second factor", el: "χωρίς δεύτερο παράγοντα" },
});

/** Texts of the break-glass people. */
export const breakGlassTexts = dictionary({
  title: { en: "Break-glass people", el: "Άτομα έκτακτης πρόσβασης" },
  about: {
    en: "They can always act, even without single sign-on, for example while the provider is down. One to five administrators of the whole organization, each with a second factor or a passkey.",
    el: "Μπορούν πάντα να ενεργούν, και χωρίς ενιαία σύνδεση, για παράδειγμα όταν δεν λειτουργεί ο πάροχος. Ένα έως πέντε άτομα που διαχειρίζονται όλον τον οργανισμό, το καθένα με δεύτερο παράγοντα ή κλειδί πρόσβασης.",
  },
  aboutMe: {
    en: "You must be on the list yourself before you can require single sign-on.",
    el: "Για να απαιτήσετε ενιαία σύνδεση, πρέπει να είστε και εσείς στη λίστα.",
  },
  none: { en: "Nobody is on the list.", el: "Η λίστα είναι κενή." },
  ready: { en: "Ready", el: "Σε ετοιμότητα" },
  notReady: { en: "Not ready", el: "Όχι σε ετοιμότητα" },
  notReadyAbout: {
    en: "Needs the role of administrator for the whole organization, and a second factor or passkey.",
    el: "Χρειάζεται τον ρόλο του διαχειριστή για όλον τον οργανισμό, και δεύτερο παράγοντα ή κλειδί πρόσβασης.",
  },
  person: { en: "Person", el: "Άτομο" },
  personPlaceholder: { en: "Search by name or email", el: "Αναζήτηση με όνομα ή email" },
  add: { en: "Add person", el: "Προσθήκη ατόμου" },
  addMe: { en: "Add yourself", el: "Προσθήκη του εαυτού σας" },
  remove: { en: "Remove {email}", el: "Αφαίρεση: {email}" },
  last: {
    en: "Somebody who is ready must stay on the list while single sign-on is required or announced.",
    el: "Όσο η ενιαία σύνδεση απαιτείται ή έχει ανακοινωθεί, πρέπει να μένει στη λίστα κάποιος σε ετοιμότητα.",
  },
  secondFactor: { en: "Set up a second factor", el: "Ρύθμιση δεύτερου παράγοντα" },
});

/** Texts of the sign-on policy. */
export const policyTexts = dictionary({
  title: { en: "4. Policy", el: "4. Πολιτική" },
  about: {
    en: "Who must sign in through the organization, and how. Whatever is stricter is announced first.",
    el: "Ποιοι πρέπει να συνδέονται μέσω του οργανισμού, και πώς. Ό,τι είναι αυστηρότερο ανακοινώνεται πρώτα.",
  },
  scope: {
    en: "Who must sign in through the organization",
    el: "Ποιοι πρέπει να συνδέονται μέσω του οργανισμού",
  },
  off: { en: "Nobody: everyone chooses how to sign in.", el: "Κανένας: ο καθένας επιλέγει πώς θα συνδεθεί." },
  domains: {
    en: "People of your domains: they have an address in them, or have signed in through the organization before. Guests sign in as before.",
    el: "Όσοι ανήκουν στους τομείς σας: έχουν διεύθυνση σε αυτούς ή έχουν ήδη συνδεθεί μέσω του οργανισμού. Οι επισκέπτες συνδέονται όπως πριν.",
  },
  everyone: {
    en: "Everyone, guests too. People whose address is in none of your domains can no longer act here.",
    el: "Όλοι, και οι επισκέπτες. Όσοι δεν έχουν διεύθυνση σε κάποιον τομέα σας δεν θα μπορούν πια να ενεργούν εδώ.",
  },
  requireTwoFactor: { en: "Require a second factor", el: "Να απαιτείται δεύτερος παράγοντας" },
  requireTwoFactorAbout: {
    en: "A second factor or passkey of the account, or the provider's own, where the connection trusts it.",
    el: "Δεύτερος παράγοντας ή κλειδί πρόσβασης του λογαριασμού, ή του παρόχου, όπου η σύνδεση τον εμπιστεύεται.",
  },
  enforceFrom: { en: "Effective from", el: "Ισχύει από" },
  enforceFromAbout: {
    en: "Leave empty for seven days from now. At most 90 days ahead; within a minute means at once.",
    el: "Αφήστε το κενό για επτά ημέρες από τώρα. Έως 90 ημέρες από τώρα· μέσα σε ένα λεπτό σημαίνει αμέσως.",
  },
  maxSessionHours: { en: "Hours until people must sign in again", el: "Ώρες έως ότου χρειαστεί νέα σύνδεση" },
  maxSessionHoursAbout: {
    en: "From 1 to 720. Leave empty for the usual times.",
    el: "Από 1 έως 720. Αφήστε το κενό για τους συνήθεις χρόνους.",
  },
  reauthenticationMinutes: {
    en: "Minutes until sensitive changes ask for a new sign-in",
    el: "Λεπτά έως ότου οι ευαίσθητες αλλαγές ζητήσουν νέα σύνδεση",
  },
  reauthenticationMinutesAbout: {
    en: "From 5 to 1,440. Leave empty for the usual times.",
    el: "Από 5 έως 1.440. Αφήστε το κενό για τους συνήθεις χρόνους.",
  },
  save: { en: "Save the policy", el: "Αποθήκευση πολιτικής" },
  saveAffected: {
    en: "Save: {count} people could not act",
    el: "Αποθήκευση: {count} άτομα δεν θα μπορούν να ενεργούν",
  },
  saveAffectedOne: { en: "Save: 1 person could not act", el: "Αποθήκευση: 1 άτομο δεν θα μπορεί να ενεργεί" },
  announced: { en: "Announced for {time}", el: "Έχει ανακοινωθεί για τις {time}" },
  announcedTwoFactor: { en: "A second factor is required.", el: "Απαιτείται δεύτερος παράγοντας." },
  announcedAbout: {
    en: "Until then the present policy holds. People who could not act are told by email.",
    el: "Έως τότε ισχύει η τωρινή πολιτική. Όσοι δεν θα μπορούν να ενεργούν ενημερώνονται με email.",
  },
  changed: { en: "Somebody else has changed the policy.", el: "Κάποιος άλλος άλλαξε την πολιτική." },
  load: { en: "Load their changes", el: "Φόρτωση των αλλαγών" },
  showTwoFactors: {
    en: "Sign in with your own second factor before you require one.",
    el: "Συνδεθείτε με δικό σας δεύτερο παράγοντα, πριν τον απαιτήσετε.",
  },
  notTested: {
    en: "Test the connection yourself first, in step 3. It must be on, and your last test must be newer than its last change and at most 24 hours old.",
    el: "Δοκιμάστε πρώτα εσείς τη σύνδεση, στο βήμα 3. Πρέπει να είναι ενεργή, και η τελευταία δοκιμή σας να έχει γίνει μετά την τελευταία αλλαγή της και το πολύ 24 ώρες πριν.",
  },
  noDomain: {
    en: "None of your verified domains belongs to the connection that you tested. Choose the connection at a domain in step 1.",
    el: "Κανένας επαληθευμένος τομέας σας δεν ανήκει στη σύνδεση που δοκιμάσατε. Επιλέξτε τη σύνδεση σε έναν τομέα, στο βήμα 1.",
  },
  breakGlassNeeded: {
    en: "Put yourself on the list of break-glass people first. Everyone on it must be ready.",
    el: "Προσθέστε πρώτα τον εαυτό σας στα άτομα έκτακτης πρόσβασης. Όλα τα άτομα της λίστας πρέπει να είναι έτοιμα.",
  },
  twoFactorsNeeded: {
    en: "Your sign-in must show two factors and be at most ten minutes old. Sign out, sign in again with your second factor, and save the policy.",
    el: "Η σύνδεσή σας πρέπει να δείχνει δύο παράγοντες και να έγινε το πολύ δέκα λεπτά πριν. Αποσυνδεθείτε, συνδεθείτε ξανά με τον δεύτερο παράγοντά σας και αποθηκεύστε την πολιτική.",
  },
  turnOff: { en: "Turn off", el: "Απενεργοποίηση" },
  turnOffQuestion: {
    en: "Everyone may sign in as they choose again, at once. What is announced is dropped. The break-glass people stay.",
    el: "Ο καθένας θα επιλέγει και πάλι αμέσως πώς θα συνδεθεί. Ό,τι έχει ανακοινωθεί ακυρώνεται. Τα άτομα έκτακτης πρόσβασης παραμένουν.",
  },
  rules: { en: "Rules", el: "Κανόνες" },
  yes: { en: "Yes", el: "Ναι" },
  no: { en: "No", el: "Όχι" },
  usual: { en: "The usual times", el: "Οι συνήθεις χρόνοι" },
});

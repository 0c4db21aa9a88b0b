import { dictionary } from "./dictionary.ts";

export const homeTexts = dictionary({
  youAre: { en: "{organization}", el: "{organization}" },
  youAreAs: { en: "{organization} · {roles}", el: "{organization} · {roles}" },
  start: { en: "You belong to no organization yet", el: "Δεν ανήκετε ακόμη σε οργανισμό" },
  startAbout: {
    en: "Create your own below. If you were invited, open the link in the invitation email.",
    el: "Ιδρύστε δικό σας παρακάτω. Αν σας προσκάλεσε κάποιος, ανοίξτε τον σύνδεσμο του email: σας προσθέτει στον δικό του.",
  },
  startInvited: {
    en: "Ask to be invited, then open the link in the invitation email.",
    el: "Ζητήστε πρόσκληση και ανοίξτε τον σύνδεσμο του email της.",
  },
  chooseTitle: {
    en: "You are not working in an organization",
    el: "Δεν βρίσκεστε σε κάποιον οργανισμό τώρα",
  },
  suspended: { en: "{organization} is suspended", el: "Ο οργανισμός {organization} είναι σε αναστολή" },
  suspendedAbout: {
    en: "Nobody can work in it until a platform administrator activates it again. Nothing is deleted. Use “My tickets” to ask why.",
    el: "Κανείς δεν εργάζεται σε αυτόν μέχρι να τον ενεργοποιήσει πάλι κάποιος διαχειριστής της πλατφόρμας. Τίποτα δεν διαγράφεται. Από «Τα αιτήματά μου» μπορείτε να ρωτήσετε γιατί.",
  },
  choose: { en: "Choose an organization at the top left.", el: "Επιλέξτε έναν οργανισμό, επάνω αριστερά." },
  admin: {
    en: "You administer the platform: its organizations, users and tickets.",
    el: "Διαχειρίζεστε την πλατφόρμα: τους οργανισμούς, τους χρήστες και τα αιτήματά της.",
  },
  firstSteps: { en: "First steps", el: "Πρώτα βήματα" },
  verified: { en: "Create your account", el: "Δημιουργήστε τον λογαριασμό σας" },
  twoFactor: { en: "Turn on two-factor authentication", el: "Προστατέψτε τον με δεύτερο παράγοντα" },
  founded: { en: "Join or create an organization", el: "Μπείτε σε οργανισμό ή ιδρύστε έναν" },
  joined: { en: "Join an organization", el: "Μπείτε σε οργανισμό" },
  invite: { en: "Invite people", el: "Προσκαλέστε άτομα" },
  done: { en: "Done", el: "Έγινε" },
  open: { en: "To do", el: "Εκκρεμεί" },
  news: { en: "News", el: "Νέα" },
  allNews: { en: "All notifications", el: "Όλες οι ειδοποιήσεις" },
});

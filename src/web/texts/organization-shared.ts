import { dictionary } from "./dictionary.ts";

export const aboutTexts = dictionary({
  ORG_ADMIN: { en: "May do everything in the organization.", el: "Επιτρέπονται όλα στον οργανισμό." },
  UNIT_ADMIN: {
    en: "May do everything within a unit.",
    el: "Επιτρέπονται όλα όσα γίνονται μέσα σε μια μονάδα.",
  },
  MEMBER: {
    en: "Can see the organization and manage their own records.",
    el: "Βλέπει τον οργανισμό και διαχειρίζεται τις δικές του εγγραφές.",
  },
  grant: { en: "{role} in {unit}", el: "{role} στη μονάδα {unit}" },
});

export const assignmentTexts = dictionary({
  role: { en: "Role", el: "Ρόλος" },
  where: { en: "Where", el: "Πού" },
  add: { en: "Add a role", el: "Προσθήκη ρόλου" },
  drop: { en: "Remove this role", el: "Αφαίρεση αυτού του ρόλου" },
});

export const grantTexts = dictionary({
  more: { en: "and {count} more", el: "και {count} ακόμη" },
});

export const guardTexts = dictionary({
  suspended: {
    en: "{name} is suspended. A platform administrator can activate it again; use “My tickets” to ask why.",
    el: "Ο οργανισμός {name} είναι σε αναστολή. Μπορεί να τον ενεργοποιήσει ξανά ένας διαχειριστής της πλατφόρμας· ρωτήστε για τον λόγο από «Τα αιτήματά μου».",
  },
  chooseOwn: {
    en: "Choose an organization at the top left first.",
    el: "Επιλέξτε πρώτα έναν οργανισμό πάνω αριστερά.",
  },
  none: { en: "You belong to no organization.", el: "Δεν ανήκετε σε κανέναν οργανισμό." },
  choose: {
    en: "Choose an organization from the list of organizations first.",
    el: "Επιλέξτε πρώτα έναν οργανισμό από τη λίστα των οργανισμών.",
  },
  forbidden: {
    en: "Your roles do not give you access to this page.",
    el: "Οι ρόλοι σας δεν δίνουν πρόσβαση σε αυτή τη σελίδα.",
  },
  needed: {
    en: "Ask an administrator of your organization if you need access.",
    el: "Αν χρειάζεστε πρόσβαση, ζητήστε την από έναν διαχειριστή του οργανισμού σας.",
  },
});

export const limitTexts = dictionary({
  of: { en: "{used} of {limit}", el: "{used} από {limit}" },
  unlimited: { en: "{used}, unlimited", el: "{used}, χωρίς όριο" },
  full: {
    en: "The limit is reached. Nothing more can be added.",
    el: "Το όριο συμπληρώθηκε: δεν μπορεί να προστεθεί τίποτα.",
  },
  resets: { en: "Resets on {day}.", el: "Μηδενίζεται την {day}." },
});

export const overlapTexts = dictionary({
  atOnce: { en: "Not at all", el: "Καθόλου" },
  hour: { en: "1 hour", el: "1 ώρα" },
  day: { en: "1 day", el: "1 ημέρα" },
  week: { en: "7 days", el: "7 ημέρες" },
});

export const savedTexts = dictionary({
  saved: { en: "Saved", el: "Αποθηκεύτηκε" },
});

export const unitSelectTexts = dictionary({
  typeToSearch: {
    en: "{count} units. Type to search.",
    el: "{count} μονάδες. Πληκτρολογήστε για αναζήτηση.",
  },
  whole: { en: "Whole organization", el: "Όλος ο οργανισμός" },
  clear: { en: "Clear", el: "Καθαρισμός" },
});

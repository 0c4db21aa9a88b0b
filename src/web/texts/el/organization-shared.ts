export const aboutTexts = {
  ORG_ADMIN: "Επιτρέπονται όλα στον οργανισμό.",
  UNIT_ADMIN: "Επιτρέπονται όλα όσα γίνονται μέσα σε μια μονάδα.",
  MEMBER: "Βλέπει τον οργανισμό και διαχειρίζεται τις δικές του εγγραφές.",
  grant: "{role} στη μονάδα {unit}",
} as const;

export const assignmentTexts = {
  role: "Ρόλος",
  where: "Πού",
  add: "Προσθήκη ρόλου",
  drop: "Αφαίρεση αυτού του ρόλου",
} as const;

export const grantTexts = {
  more: "και {count} ακόμη",
} as const;

export const limitTexts = {
  of: "{used} από {limit}",
  unlimited: "{used}, χωρίς όριο",
  full: "Το όριο συμπληρώθηκε: δεν μπορεί να προστεθεί τίποτα.",
  resets: "Μηδενίζεται την {day}.",
} as const;

export const unitSelectTexts = {
  typeToSearch: "{count} μονάδες. Πληκτρολογήστε για αναζήτηση.",
  whole: "Όλος ο οργανισμός",
  clear: "Καθαρισμός",
} as const;

export const overlapTexts = {
  atOnce: "Καθόλου",
  hour: "1 ώρα",
  day: "1 ημέρα",
  week: "7 ημέρες",
} as const;

export const savedTexts = {
  saved: "Αποθηκεύτηκε",
} as const;

export const guardTexts = {
  suspended:
    "Ο οργανισμός {name} είναι σε αναστολή. Μπορεί να τον ενεργοποιήσει ξανά ένας διαχειριστής της πλατφόρμας· ρωτήστε για τον λόγο από «Τα αιτήματά μου».",
  chooseOwn: "Επιλέξτε πρώτα έναν οργανισμό πάνω αριστερά.",
  none: "Δεν ανήκετε σε κανέναν οργανισμό.",
  choose: "Επιλέξτε πρώτα έναν οργανισμό από τη λίστα των οργανισμών.",
  forbidden: "Οι ρόλοι σας δεν δίνουν πρόσβαση σε αυτή τη σελίδα.",
  needed: "Αν χρειάζεστε πρόσβαση, ζητήστε την από έναν διαχειριστή του οργανισμού σας.",
} as const;

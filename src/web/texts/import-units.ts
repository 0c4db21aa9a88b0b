import { dictionary } from "./dictionary.ts";

export const importTexts = dictionary({
  title: { en: "Import units", el: "Εισαγωγή μονάδων" },
  about: {
    en: "Creates many units at once from a text. Nothing is created before you have seen the tree.",
    el: "Δημιουργεί πολλές μονάδες μαζί από ένα κείμενο. Τίποτα δεν δημιουργείται πριν δείτε το δέντρο.",
  },
  units: { en: "Units", el: "Μονάδες" },
  text: { en: "Units", el: "Μονάδες" },
  textAbout: {
    en: "One unit a line. Indent the units below another one, or write a path such as “Europe > Lisbon”.",
    el: "Μία μονάδα σε κάθε γραμμή. Βάλτε σε εσοχή όσες ανήκουν σε άλλη, ή γράψτε διαδρομή, όπως «Ευρώπη > Λισαβόνα».",
  },
  below: { en: "Below", el: "Κάτω από" },
  top: { en: "Top level", el: "Ανώτατο επίπεδο" },
  check: { en: "Check", el: "Έλεγχος" },
  noName: { en: "Line {line} has an empty name.", el: "Η γραμμή {line} έχει κενό όνομα." },
  tooDeep: {
    en: "Line {line} is below more than {levels} names. Import it below a unit that exists.",
    el: "Η γραμμή {line} είναι κάτω από περισσότερα από {levels} ονόματα. Εισαγάγετέ την κάτω από υπάρχουσα μονάδα.",
  },
  tooMany: {
    en: "These are too many units for one import. Divide the text.",
    el: "Οι μονάδες είναι πολλές για μία εισαγωγή. Χωρίστε το κείμενο.",
  },
  result: { en: "Result", el: "Αποτέλεσμα" },
  preview: { en: "Tree of the import", el: "Δέντρο της εισαγωγής" },
  wouldCreate: { en: "Units to create: {count}", el: "Μονάδες που θα δημιουργηθούν: {count}" },
  created: { en: "Units created: {count}", el: "Μονάδες που δημιουργήθηκαν: {count}" },
  existing: { en: "Existing units: {count}", el: "Υπάρχουσες μονάδες: {count}" },
  isNew: { en: "new", el: "νέα" },
  exists: { en: "exists", el: "υπάρχει" },
  more: { en: "and {count} more", el: "και άλλες {count}" },
  lacks: {
    en: "The plan has {free} free units, and {needed} are needed.",
    el: "Το πρόγραμμα έχει {free} ελεύθερες μονάδες και χρειάζονται {needed}.",
  },
  plan: { en: "Usage & billing", el: "Χρήση και χρέωση" },
  create: { en: "Create {count} units", el: "Δημιουργία {count} μονάδων" },
  toTree: { en: "Show the tree", el: "Προβολή του δέντρου" },
});

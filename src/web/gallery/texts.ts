import { dictionary } from "../texts/dictionary.ts";

// Texts of the gallery alone: a change of a page's wording changes no golden image.
export const generalTexts = dictionary({
  add: { en: "Add", el: "Προσθήκη" },
  all: { en: "All", el: "Όλα" },
  close: { en: "Close", el: "Κλείσιμο" },
  created: { en: "Created", el: "Δημιουργήθηκε" },
  done: { en: "Done", el: "Έτοιμη" },
  edit: { en: "Edit", el: "Επεξεργασία" },
  every: { en: "All units", el: "Όλες οι μονάδες" },
  member: { en: "Member", el: "Μέλος" },
  newUnit: { en: "Add a unit…", el: "Νέα μονάδα…" },
  none: { en: "You have no units.", el: "Δεν έχετε μονάδες." },
  own: { en: "My units", el: "Οι μονάδες μου" },
  owner: { en: "Owner", el: "Κάτοχος" },
  remove: { en: "Delete", el: "Διαγραφή" },
  removeQuestion: { en: "“{title}” will be deleted.", el: "Η μονάδα «{title}» θα διαγραφεί." },
  save: { en: "Save", el: "Αποθήκευση" },
  title: { en: "Title", el: "Τίτλος" },
  unit: { en: "Unit", el: "Μονάδα" },
  units: { en: "Units", el: "Μονάδες" },
});

export const memberTexts = dictionary({
  about: {
    en: "The members of the organization, with their roles and units.",
    el: "Όσοι ανήκουν στον οργανισμό, με τους ρόλους και τις μονάδες τους.",
  },
  actionsOf: { en: "Actions for {name}", el: "Ενέργειες για: {name}" },
  activity: { en: "Activity", el: "Δραστηριότητα" },
  back: { en: "All members", el: "Όλα τα μέλη" },
  edit: { en: "Change", el: "Αλλαγή" },
  email: { en: "Email address", el: "Διεύθυνση email" },
  invited: { en: "Invited", el: "Προσκεκλημένοι" },
  members: { en: "Members", el: "Μέλη" },
  name: { en: "Name (by surname)", el: "Όνομα (κατά επώνυμο)" },
  off: { en: "Off", el: "Όχι" },
  on: { en: "On", el: "Ναι" },
  remove: { en: "Remove", el: "Αφαίρεση" },
  role: { en: "Role", el: "Ρόλος" },
  rolesAbout: {
    en: "A role applies to the whole organization, or to one unit and its sub-units.",
    el: "Ένας ρόλος ισχύει σε όλο τον οργανισμό, ή σε μια μονάδα και σε όσες είναι κάτω από αυτήν.",
  },
  rolesAndUnits: { en: "Roles and units", el: "Ρόλοι και μονάδες" },
  secondFactor: { en: "Second factor", el: "Δεύτερος παράγοντας" },
  unitsAbout: {
    en: "The units that the member belongs to. A unit cannot be removed while the member has a role in it.",
    el: "Πού ανήκει κάποιος. Μια μονάδα μένει όσο δίνεται σε αυτήν ένας ρόλος.",
  },
  you: { en: "You", el: "Εσείς" },
});

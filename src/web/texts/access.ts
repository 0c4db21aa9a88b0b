import { dictionary } from "./dictionary.ts";

export const accessTexts = dictionary({
  access: { en: "What can this member do, and why?", el: "Τι μπορεί να κάνει αυτό το μέλος και γιατί;" },
  ask: { en: "Check one permission", el: "Έλεγχος ενός δικαιώματος" },
  permission: { en: "Permission", el: "Δικαίωμα" },
  where: { en: "Unit", el: "Μονάδα" },
  yes: { en: "Yes, {name} has this permission.", el: "Ναι, το μέλος έχει αυτό το δικαίωμα: {name}." },
  no: {
    en: "No, {name} does not have this permission.",
    el: "Όχι, το μέλος δεν έχει αυτό το δικαίωμα: {name}.",
  },
  byWhole: {
    en: "The role “{role}” grants this permission for the whole organization.",
    el: "Το δίνει ο ρόλος «{role}» σε όλο τον οργανισμό.",
  },
  byHere: {
    en: "The role “{role}” grants this permission in “{unit}”.",
    el: "Το δίνει ο ρόλος «{role}» ακριβώς εδώ, στη μονάδα «{unit}».",
  },
  byAbove: {
    en: "The role “{role}” grants this permission in “{unit}” and in all units below it.",
    el: "Το δίνει ο ρόλος «{role}» στη μονάδα «{unit}», άρα και σε κάθε μονάδα κάτω από αυτήν.",
  },
  elsewhere: {
    en: "The permission is granted elsewhere: {places}.",
    el: "Το δικαίωμα δίνεται αλλού: {places}.",
  },
  nowhere: {
    en: "None of the member's roles includes this permission.",
    el: "Κανένας ρόλος του μέλους δεν περιλαμβάνει αυτό το δικαίωμα.",
  },
  onlyWhole: {
    en: "This permission works only for the whole organization. A role assigned in a unit does not grant it.",
    el: "Ισχύει μόνο για όλο τον οργανισμό. Ένας ρόλος που δίνεται σε μονάδα δεν το παρέχει.",
  },
  all: { en: "All permissions", el: "Όλα τα δικαιώματα" },
  everywhere: { en: "Whole organization", el: "Όλος ο οργανισμός" },
  nothing: { en: "not granted", el: "δεν δίνεται" },
  by: { en: "{place}: by “{role}”", el: "{place}: με τον ρόλο «{role}»" },
  below: { en: "{path}, and units below it: {count}", el: "{path}, και μονάδες από κάτω: {count}" },
  partial: {
    en: "You see only the member's permissions in units that your own roles include.",
    el: "Βλέπετε μόνο τα δικαιώματα του μέλους στις μονάδες που περιλαμβάνουν οι δικοί σας ρόλοι.",
  },
  noRoles: {
    en: "You need permission to see roles to use this page.",
    el: "Για αυτή τη σελίδα χρειάζεται δικαίωμα προβολής ρόλων.",
  },
  what: { en: "Permission", el: "Δικαίωμα" },
  given: { en: "Where and by which role", el: "Πού και με ποιον ρόλο" },
});

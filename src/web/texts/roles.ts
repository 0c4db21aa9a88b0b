import { dictionary } from "./dictionary.ts";

export const roleTexts = dictionary({
  roles: { en: "Roles", el: "Ρόλοι" },
  about: {
    en: "A role is a set of permissions. Members get roles in the whole organization or in a unit.",
    el: "Ένας ρόλος είναι ένα σύνολο δικαιωμάτων. Τα μέλη παίρνουν ρόλους σε όλο τον οργανισμό ή σε μια μονάδα.",
  },
  create: { en: "New role", el: "Νέος ρόλος" },
  name: { en: "Name", el: "Όνομα" },
  description: { en: "Description", el: "Περιγραφή" },
  permissions: { en: "Permissions", el: "Δικαιώματα" },
  builtIn: { en: "Built-in", el: "Ενσωματωμένος" },
  builtInAbout: {
    en: "Built-in roles are the same in every organization and cannot be changed.",
    el: "Οι ενσωματωμένοι ρόλοι είναι ίδιοι σε κάθε οργανισμό και δεν αλλάζουν.",
  },
  defaultRole: { en: "Default", el: "Προεπιλογή" },
  defaultHint: {
    en: "New members get this role if none of the roles in their invitation exists any more.",
    el: "Τα νέα μέλη παίρνουν αυτόν τον ρόλο αν δεν υπάρχει πια κανένας ρόλος της πρόσκλησής τους.",
  },
  makeDefault: { en: "Make it the default role", el: "Ορισμός ως προεπιλογής" },
  noneFound: { en: "No roles match your search.", el: "Κανένας ρόλος δεν ταιριάζει με την αναζήτηση." },
  yes: { en: "Yes", el: "Ναι" },
  no: { en: "No", el: "Όχι" },
  all: { en: "All roles", el: "Όλοι οι ρόλοι" },
  notFound: {
    en: "This role does not exist, or has been deleted.",
    el: "Αυτός ο ρόλος δεν υπάρχει ή έχει διαγραφεί.",
  },
  onlyWhole: {
    en: "Has no effect if the role is assigned in a unit",
    el: "Δεν ισχύει αν ο ρόλος δοθεί σε μονάδα",
  },
  notGranted: {
    en: "You can only add permissions that you have for the whole organization.",
    el: "Μπορείτε να προσθέσετε μόνο δικαιώματα που έχετε για όλο τον οργανισμό.",
  },
  partlyGranted: {
    en: "You cannot change this role because it includes permissions that you do not have.",
    el: "Ο ρόλος περιλαμβάνει δικαιώματα που δεν έχετε εσείς και γι' αυτό δεν μπορείτε να τον αλλάξετε.",
  },
  readOnly: {
    en: "Your roles do not allow you to change roles.",
    el: "Οι ρόλοι σας δεν σας επιτρέπουν να αλλάζετε ρόλους.",
  },
  remove: { en: "Delete", el: "Διαγραφή" },
  removeQuestion: {
    en: "The role “{name}” will be deleted. A role that a member or an invitation uses cannot be deleted.",
    el: "Ο ρόλος «{name}» θα διαγραφεί. Ένας ρόλος που έχει κάποιο μέλος ή πρόσκληση δεν διαγράφεται.",
  },
  allOf: { en: "All: {entity}", el: "Όλα: {entity}" },
  clearSearch: { en: "Clear the search", el: "Καθαρισμός αναζήτησης" },
  differences: { en: "Differences only", el: "Μόνο διαφορές" },
  noDifference: {
    en: "These roles have the same permissions.",
    el: "Αυτοί οι ρόλοι έχουν τα ίδια δικαιώματα.",
  },
  someShown: {
    en: "{shown} of {total} roles are shown. Search to find the others.",
    el: "Εμφανίζονται {shown} από {total} ρόλους. Αναζητήστε τους υπόλοιπους.",
  },
  actionsOf: { en: "Actions for {role}", el: "Ενέργειες για: {role}" },
  open: { en: "Open", el: "Άνοιγμα" },
  duplicate: { en: "Duplicate", el: "Δημιουργία αντιγράφου" },
  copyOf: { en: "Begins with the permissions of {role}.", el: "Αρχίζει με τα δικαιώματα του ρόλου {role}." },
  count: { en: "Permissions: {count}", el: "Δικαιώματα: {count}" },
});

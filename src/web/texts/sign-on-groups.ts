import { dictionary } from "./dictionary.ts";

export const groupTexts = dictionary({
  mappings: { en: "Groups that give roles", el: "Ομάδες που δίνουν ρόλους" },
  mappingsAbout: {
    en: "A group gives its role at each person's next sign-in. Removing a mapping takes the role away at once.",
    el: "Μια ομάδα δίνει τον ρόλο της στην επόμενη σύνδεση κάθε ατόμου. Όταν αφαιρείται μια αντιστοίχιση, ο ρόλος φεύγει αμέσως.",
  },
  mappingsList: { en: "List of mappings", el: "Λίστα αντιστοιχίσεων" },
  noMappings: { en: "No group gives a role yet.", el: "Καμία ομάδα δεν δίνει ακόμη ρόλο." },
  group: { en: "Group", el: "Ομάδα" },
  groupAbout: {
    en: "Exactly as the provider sends it. Some providers send ids.",
    el: "Ακριβώς όπως τη στέλνει ο πάροχος. Μερικοί πάροχοι στέλνουν id.",
  },
  role: { en: "Role", el: "Ρόλος" },
  place: { en: "Where", el: "Πού" },
  map: { en: "Map a group to a role", el: "Αντιστοίχιση ομάδας με ρόλο" },
  mapGroup: { en: "Map", el: "Αντιστοίχιση" },
  mapOf: { en: "Map the group {group} to a role", el: "Αντιστοίχιση της ομάδας {group} με ρόλο" },
  preview: { en: "Show who gains the role", el: "Ποιοι παίρνουν τον ρόλο" },
  gains: { en: "Who gains the role", el: "Ποιοι παίρνουν τον ρόλο" },
  nobody: {
    en: "Nobody had this group at the last sign-in. People who sign in with it gain the role.",
    el: "Κανείς δεν είχε αυτή την ομάδα στην τελευταία σύνδεση. Όποιος έρθει με αυτή παίρνει τον ρόλο.",
  },
  gainsCount: {
    en: "People who had this group at their last sign-in: {total}. At the next one they have the role.",
    el: "Άτομα που είχαν αυτή την ομάδα στην τελευταία τους σύνδεση: {total}. Στην επόμενη θα έχουν τον ρόλο.",
  },
  already: { en: "has it already", el: "τον έχει ήδη" },
  shown: { en: "{shown} of {total} are shown.", el: "Εμφανίζονται {shown} από {total}." },
  noPreview: {
    en: "You may not see the members, so you cannot see who gains the role.",
    el: "Δεν βλέπετε τα μέλη, οπότε δεν μπορείτε να δείτε ποιοι παίρνουν τον ρόλο.",
  },
  admin: {
    en: "Everybody in this group will be able to do everything in the organization. Who is in it, the provider decides.",
    el: "Όλοι σε αυτή την ομάδα θα μπορούν να κάνουν τα πάντα στον οργανισμό. Ποιοι ανήκουν σε αυτή το ορίζει ο πάροχος.",
  },
  save: { en: "Save the mapping", el: "Αποθήκευση της αντιστοίχισης" },
  conflict: {
    en: "This group gives this role here already, or the organization has 500 mappings.",
    el: "Η ομάδα δίνει ήδη αυτόν τον ρόλο εδώ ή ο οργανισμός έχει 500 αντιστοιχίσεις.",
  },
  remove: { en: "Remove", el: "Αφαίρεση" },
  removeOf: {
    en: "Remove the mapping of {group} to {role}",
    el: "Αφαίρεση της αντιστοίχισης {group} – {role}",
  },
  removeQuestion: {
    en: "People who have the role only by this group lose it at once.",
    el: "Όσοι έχουν τον ρόλο μόνο από αυτή την ομάδα τον χάνουν αμέσως.",
  },
  seen: { en: "Groups seen at sign-ins", el: "Ομάδες που εμφανίστηκαν σε συνδέσεις" },
  seenList: { en: "List of groups", el: "Λίστα ομάδων" },
  noneSeen: { en: "No sign-in has brought groups yet.", el: "Καμία σύνδεση δεν έφερε ακόμη ομάδες." },
  people: { en: "People", el: "Άτομα" },
  mapped: { en: "Mappings", el: "Αντιστοιχίσεις" },
});

export const identityTexts = dictionary({
  people: { en: "People of the connection", el: "Άτομα της σύνδεσης" },
  none: {
    en: "Nobody has signed in by this connection yet.",
    el: "Κανείς δεν έχει συνδεθεί ακόμη με αυτόν τον πάροχο.",
  },
  person: { en: "Person", el: "Άτομο" },
  address: { en: "Address at the provider", el: "Διεύθυνση στον πάροχο" },
  groups: { en: "Groups", el: "Ομάδες" },
  more: { en: "and {count} more", el: "και {count} ακόμη" },
  linked: { en: "Linked on {date}", el: "Με τον πάροχο από {date}" },
  lastSignIn: { en: "Last sign-in", el: "Τελευταία είσοδος" },
  remove: { en: "Unlink", el: "Αποσύνδεση" },
  removeOf: { en: "Unlink {email}", el: "Αποσύνδεση του {email} από τον πάροχο" },
  removeQuestion: {
    en: "{email} is unlinked from the provider, and sessions by it end. The next sign-in links the account anew. The person stays a member.",
    el: "Ο λογαριασμός {email} αποσυνδέεται από τον πάροχο και οι συνεδρίες μέσω αυτού τελειώνουν. Η επόμενη σύνδεση τον συνδέει ξανά. Το άτομο παραμένει μέλος.",
  },
  search: { en: "Search by name or email", el: "Αναζήτηση με όνομα ή email" },
});

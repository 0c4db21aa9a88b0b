import { dictionary } from "./dictionary.ts";

export const unitTexts = dictionary({
  keysHint: { en: "Keyboard: arrow keys to navigate.", el: "Με το πληκτρολόγιο: βέλη για κίνηση." },
  units: { en: "Units", el: "Μονάδες" },
  about: {
    en: "Branches, departments or teams, as a tree. A role in a unit also applies to all units below it.",
    el: "Υποκαταστήματα, τμήματα ή ομάδες, σε μορφή δέντρου. Ένας ρόλος σε μια μονάδα ισχύει και για όλες τις μονάδες κάτω από αυτήν.",
  },
  tree: { en: "Units", el: "Μονάδες" },
  treeTab: { en: "Tree", el: "Δέντρο" },
  chart: { en: "Organization chart", el: "Οργανόγραμμα" },
  choosePeople: {
    en: "Choose a unit to see its people.",
    el: "Διαλέξτε μια μονάδα για να δείτε τα μέλη της.",
  },
  peopleBelow: { en: "Members here and below: {count}", el: "Μέλη εδώ και από κάτω: {count}" },
  none: { en: "There are no units yet.", el: "Δεν υπάρχουν μονάδες ακόμη." },
  noneFound: { en: "No units match your search.", el: "Καμία μονάδα δεν ταιριάζει με την αναζήτηση." },
  expandAll: { en: "Expand all", el: "Άνοιγμα όλων" },
  collapseAll: { en: "Collapse all", el: "Κλείσιμο όλων" },
  create: { en: "New unit", el: "Νέα μονάδα" },
  import: { en: "Import", el: "Εισαγωγή" },
  createFirst: { en: "Create the first unit", el: "Δημιουργία της πρώτης μονάδας" },
  createBelow: { en: "New unit below", el: "Νέα μονάδα από κάτω" },
  name: { en: "Name", el: "Όνομα" },
  parent: { en: "Below", el: "Κάτω από" },
  top: { en: "Top level", el: "Ανώτατο επίπεδο" },
  rename: { en: "Rename", el: "Μετονομασία" },
  move: { en: "Move", el: "Μετακίνηση" },
  moveTitle: { en: "Move “{name}”", el: "Μετακίνηση της μονάδας «{name}»" },
  moveAbout: {
    en: "All units below this unit move with it, together with the roles assigned there.",
    el: "Όλες οι μονάδες κάτω από αυτήν μετακινούνται μαζί της, με τους ρόλους που δίνονται εκεί.",
  },
  remove: { en: "Delete", el: "Διαγραφή" },
  removeQuestion: { en: "The unit “{name}” will be deleted.", el: "Η μονάδα «{name}» θα διαγραφεί." },
  choose: {
    en: "Choose a unit to see its actions.",
    el: "Διαλέξτε μια μονάδα για να δείτε τις ενέργειές της.",
  },
  members: { en: "Members in this unit: {count}", el: "Μέλη σε αυτή τη μονάδα: {count}" },
  subunits: { en: "Units below: {count}", el: "Μονάδες από κάτω: {count}" },
  hint: {
    en: "Drag a unit onto another unit to move it below that unit, or drop it here to move it to the top level. Keyboard: arrow keys to navigate, F2 to rename, M to move, Delete to delete.",
    el: "Σύρετε μια μονάδα πάνω σε άλλη για να μπει κάτω από αυτήν, ή εδώ για το ανώτατο επίπεδο. Με το πληκτρολόγιο: βέλη για κίνηση, F2 για μετονομασία, M για μετακίνηση, Delete για διαγραφή.",
  },
  moved: {
    en: "“{name}” is now below “{parent}”.",
    el: "Η μονάδα «{name}» είναι τώρα κάτω από τη μονάδα «{parent}».",
  },
  movedTop: {
    en: "“{name}” is now at the top level.",
    el: "Η μονάδα «{name}» είναι τώρα στο ανώτατο επίπεδο.",
  },
  undo: { en: "Undo", el: "Αναίρεση" },
  UNIT_CYCLE: {
    en: "A unit cannot be moved below itself, or below one of its own units.",
    el: "Μια μονάδα δεν μετακινείται κάτω από τον εαυτό της ούτε κάτω από δική της μονάδα.",
  },
  PERMISSION_NOT_HELD: {
    en: "You would have more permissions over this unit in the new place than now. Ask somebody with permissions in both places to move it.",
    el: "Στη νέα θέση θα είχατε περισσότερα δικαιώματα σε αυτή τη μονάδα από όσα έχετε τώρα. Ζητήστε τη μετακίνηση από κάποιον με δικαιώματα και στις δύο θέσεις.",
  },
  UNIT_FORBIDDEN: {
    en: "Your roles do not include the new place. Ask somebody with permissions in both places.",
    el: "Οι ρόλοι σας δεν περιλαμβάνουν τη νέα θέση. Ζητήστε το από κάποιον με δικαιώματα και στις δύο θέσεις.",
  },
  UNIT_NOT_EMPTY: {
    en: "The unit still has sub-units, members, pending invitations or service accounts. Move or delete the sub-units, remove the members from the unit, revoke the invitations and take the roles in the unit from the service accounts first.",
    el: "Η μονάδα έχει ακόμη υπομονάδες, μέλη, εκκρεμείς προσκλήσεις ή λογαριασμούς υπηρεσιών. Μετακινήστε ή διαγράψτε πρώτα τις υπομονάδες, αφαιρέστε τα μέλη, ανακαλέστε τις προσκλήσεις και αφαιρέστε τους ρόλους των λογαριασμών υπηρεσιών στη μονάδα.",
  },
  CONFLICT: {
    en: "An organization can have at most 10,000 units on at most 100 levels.",
    el: "Ένας οργανισμός έχει το πολύ 10.000 μονάδες σε το πολύ 100 επίπεδα.",
  },
});

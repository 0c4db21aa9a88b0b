import { dictionary } from "./dictionary.ts";

export const overviewTexts = dictionary({
  organization: { en: "Organization", el: "Οργανισμός" },
  since: { en: "Since {date}", el: "Από {date}" },
  yourRoles: { en: "Your roles", el: "Οι ρόλοι σας" },
  noRoles: { en: "You have no roles here.", el: "Δεν έχετε ρόλους εδώ." },
  inUnits: { en: "and roles in units", el: "και ρόλοι σε μονάδες" },
  plan: { en: "Plan", el: "Πακέτο" },
  toBilling: { en: "Plan and billing", el: "Πακέτο και χρέωση" },
  members: { en: "Members", el: "Μέλη" },
  toMembers: { en: "All members", el: "Όλα τα μέλη" },
  newest: { en: "Newest members", el: "Νεότερα μέλη" },
  invitations: { en: "Pending invitations", el: "Προσκλήσεις σε αναμονή" },
  toInvitations: { en: "All invitations", el: "Όλες οι προσκλήσεις" },
  invite: { en: "Invite people", el: "Πρόσκληση ατόμων" },
  leave: { en: "Leave", el: "Αποχώρηση" },
  subscriptionRenews: {
    en: "You are the only member of an organization whose subscription renews. Cancel the subscription first, or invite somebody.",
    el: "Είστε το μόνο μέλος οργανισμού με συνδρομή που ανανεώνεται. Ακυρώστε πρώτα τη συνδρομή ή προσκαλέστε κάποιον.",
  },
  leaveTitle: { en: "Leave the organization", el: "Αποχώρηση από τον οργανισμό" },
  leaveAbout: {
    en: "You lose your roles and units here. You need a new invitation to come back.",
    el: "Χάνετε τους ρόλους και τις μονάδες σας εδώ. Για να επιστρέψετε χρειάζεστε νέα πρόσκληση.",
  },
  leaveQuestion: {
    en: "You lose all roles and units in “{name}” immediately. You continue in another of your organizations, if you have one.",
    el: "Χάνετε αμέσως κάθε ρόλο και μονάδα στον οργανισμό «{name}» και συνεχίζετε σε άλλον οργανισμό σας, αν έχετε.",
  },
});

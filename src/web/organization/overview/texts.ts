import { dictionary } from "../../lib/i18n.tsx";

export const overviewTexts = dictionary(
  {
    organization: "Organization",
    since: (date: string) => `Since ${date}`,
    yourRoles: "Your roles",
    noRoles: "You have no roles here.",
    inUnits: "and roles in units",
    plan: "Plan",
    toBilling: "Plan and billing",
    members: "Members",
    toMembers: "All members",
    newest: "Who joined last",
    invitations: "Pending invitations",
    toInvitations: "All invitations",
    invite: "Invite people",
    leave: "Leave",
    leaveTitle: "Leave the organization",
    leaveAbout: "Your roles and units here end. Only an invitation brings you back.",
    leaveQuestion: (name: string) =>
      `You lose every role and unit in “${name}” at once, and go on in another of your organizations, if you have one.`,
  },
  {
    organization: "Οργανισμός",
    since: (date) => `Από ${date}`,
    yourRoles: "Οι ρόλοι σας",
    noRoles: "Δεν έχετε ρόλους εδώ.",
    inUnits: "και ρόλοι σε μονάδες",
    plan: "Πακέτο",
    toBilling: "Πακέτο και χρέωση",
    members: "Μέλη",
    toMembers: "Όλα τα μέλη",
    newest: "Τα πιο νέα μέλη",
    invitations: "Προσκλήσεις σε αναμονή",
    toInvitations: "Όλες οι προσκλήσεις",
    invite: "Πρόσκληση ατόμων",
    leave: "Αποχώρηση",
    leaveTitle: "Αποχώρηση από τον οργανισμό",
    leaveAbout: "Οι ρόλοι και οι μονάδες σας εδώ τελειώνουν. Μόνο με πρόσκληση επιστρέφετε.",
    leaveQuestion: (name) =>
      `Χάνετε αμέσως κάθε ρόλο και μονάδα στον οργανισμό «${name}» και συνεχίζετε σε άλλον οργανισμό σας, αν έχετε.`,
  },
);

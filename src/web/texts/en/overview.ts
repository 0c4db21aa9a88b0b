export const overviewTexts = {
  organization: "Organization",
  since: "Since {date}",
  yourRoles: "Your roles",
  noRoles: "You have no roles here.",
  inUnits: "and roles in units",
  plan: "Plan",
  toBilling: "Plan and billing",
  members: "Members",
  toMembers: "All members",
  newest: "Newest members",
  invitations: "Pending invitations",
  toInvitations: "All invitations",
  invite: "Invite people",
  leave: "Leave",
  subscriptionRenews:
    "You are the only member of an organization whose subscription renews. Cancel the subscription first, or invite somebody.",
  leaveTitle: "Leave the organization",
  leaveAbout: "You lose your roles and units here. You need a new invitation to come back.",
  leaveQuestion:
    "You lose all roles and units in “{name}” immediately. You continue in another of your organizations, if you have one.",
} as const;

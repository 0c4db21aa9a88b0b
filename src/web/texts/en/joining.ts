/** Texts of the requests to join the organization. */
export const joinRequestTexts = {
  requests: "Join requests",
  about:
    "People with an address of a verified domain who ask to join. They see nothing before they are members.",
  signOnOff: "This installation does not offer single sign-on.",
  none: "No open join requests.",
  person: "Person",
  domain: "Domain",
  asked: "Asked",
  ends: "Ends",
  approve: "Approve",
  approveTitle: "Approve {name}",
  usualRoles: "New members of {domain} get these roles:",
  presetRoles: "The person gets the roles that are set for {domain}.",
  defaultRole: "The person gets the default role of the organization.",
  chooseRoles: "Choose other roles",
  deny: "Deny",
  denyTitle: "Deny {name}",
  denyQuestion: "{name} does not become a member and is not told. The person may ask again after 90 days.",
  ended: "This request has ended: somebody decided it, or the person withdrew it.",
  joined: "This person is already a member. The request has ended.",
} as const;

/** Texts of the organizations that the user may join. */
export const joinTexts = {
  title: "Organizations of your email domain",
  about: "Your address belongs to a domain of these organizations.",
  join: "Join {organization}",
  ask: "Ask to join {organization}",
  askAbout: "An administrator decides.",
  requested: "You asked to join {organization}. An administrator decides.",
  withdraw: "Withdraw",
  withdrawFor: "Withdraw the request to join {organization}",
} as const;

/** Texts of the domains of the organization. */
export const domainTexts = {
  title: "1. Domains",
  about:
    "Prove which domains belong to the organization. People with an address in a verified domain can sign in by the connection that is chosen for it. Sub-domains are domains of their own.",
  none: "There are no domains.",
  list: "Domains of the organization",
  PENDING: "Pending",
  VERIFIED: "Verified",
  LAPSED: "Lapsed",
  lapsing: "Lapses on {day}",
  pendingAbout: "Publish this record in DNS. It is checked every ten minutes in the first seven days.",
  lapsingAbout:
    "The record has been missing since {since}. If it is not published again by {until}, the domain lapses: nobody new signs in or joins by it.",
  lapsedAbout:
    "The record has been missing for more than two weeks. Nobody new signs in or joins by this domain. Publish the record again.",
  verifiedAt: "Verified on {day}.",
  lastCheck: "Last check:",
  notChecked: "Not checked yet.",
  remove: "Remove",
  removeQuestion:
    "Nobody new will sign in or join by {domain}. To add the domain again later, you need a new record.",
  removeRefused: "The policy requires single sign-on, or announces it. Turn it off in step 4 first.",
} as const;

/** Texts of the form that adds a domain. */
export const addDomainTexts = {
  domain: "New domain",
  domainAbout: "For example acme.com.",
  add: "Add domain",
  added: "{domain} was added. Publish its record in DNS.",
  exists: "Your organization already has this domain.",
  tooMany: "An organization has at most {max} domains. Remove one first.",
} as const;

/** Texts of the record of a domain, and of its check. */
export const recordTexts = {
  record: "DNS record",
  recordAbout: "The record must stay: it is checked every day.",
  type: "Type",
  name: "Name",
  value: "Value",
  copyName: "Copy name",
  copyValue: "Copy value",
  check: "Check now",
  present: "The record is there. The domain is verified.",
  missing: "There is no TXT record with the name {name} yet. A new record can take up to an hour to appear.",
  different: "There are TXT records with the name {name}, but none has the right value. Found:",
  emptyValue: "(empty)",
  unanswered: "The DNS servers of {domain} did not answer. Nothing has changed. Try again later.",
  tooOften: "Domains can be checked ten times an hour. Try again later.",
  elsewhere: "Domains cannot be checked here. New ones are checked every ten minutes by themselves.",
} as const;

/** Texts of how people of a domain sign in and join. */
export const domainSettingsTexts = {
  edit: "Sign-in and joining",
  editTitle: "Sign-in and joining: {domain}",
  connection: "Connection",
  connectionAbout: "People with an address in this domain sign in by this connection.",
  noConnection: "None",
  join: "Joining",
  joinAbout: "Whether people with an address in this domain may join without an invitation.",
  off: "Nobody joins without an invitation",
  request: "People ask to join, and you decide",
  automatic: "People join at once",
  needsVerified: "Once the domain is verified, you can let its people join here.",
  roles: "Roles of people who join",
  rolesAbout: "Without a role here, people get the default role of the organization.",
  defaultRole: "the default role",
} as const;

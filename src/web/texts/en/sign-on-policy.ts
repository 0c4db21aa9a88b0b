/** Texts of the sign-on policy. */
export const policyTexts = {
  title: "4. Policy",
  about: "Who must sign in through the organization, and how. Whatever is stricter is announced first.",
  scope: "Who must sign in through the organization",
  off: "Nobody: everyone chooses how to sign in.",
  domains:
    "People of your domains: they have an address in them, or have signed in through the organization before. Guests sign in as before.",
  everyone: "Everyone, guests too. People whose address is in none of your domains can no longer act here.",
  requireTwoFactor: "Require a second factor",
  requireTwoFactorAbout:
    "A second factor or passkey of the account, or the provider's own, where the connection trusts it.",
  enforceFrom: "Effective from",
  enforceFromAbout:
    "Leave empty for seven days from now. At most 90 days ahead; within a minute means at once.",
  maxSessionHours: "Hours until people must sign in again",
  maxSessionHoursAbout: "From 1 to 720. Leave empty for the usual times.",
  reauthenticationMinutes: "Minutes until sensitive changes ask for a new sign-in",
  reauthenticationMinutesAbout: "From 5 to 1,440. Leave empty for the usual times.",
  save: "Save the policy",
  saveAffected: "Save: {count} people could not act",
  saveAffectedOne: "Save: 1 person could not act",
  announced: "Announced for {time}",
  announcedTwoFactor: "A second factor is required.",
  announcedAbout: "Until then the present policy holds. People who could not act are told by email.",
  changed: "Somebody else has changed the policy.",
  load: "Load their changes",
  showTwoFactors: "Sign in with your own second factor before you require one.",
  notTested:
    "Test the connection yourself first, in step 3. It must be on, and your last test must be newer than its last change and at most 24 hours old.",
  noDomain:
    "None of your verified domains belongs to the connection that you tested. Choose the connection at a domain in step 1.",
  breakGlassNeeded: "Put yourself on the list of break-glass people first. Everyone on it must be ready.",
  twoFactorsNeeded:
    "Your sign-in must show two factors and be at most ten minutes old. Sign out, sign in again with your second factor, and save the policy.",
  turnOff: "Turn off",
  turnOffQuestion:
    "Everyone may sign in as they choose again, at once. What is announced is dropped. The break-glass people stay.",
  rules: "Rules",
  yes: "Yes",
  no: "No",
  usual: "The usual times",
} as const;

/** Texts of the list of members who could not act. */
export const affectedTexts = {
  affected: "{count} of {all} people could not act",
  affectedOne: "1 of {all} people could not act",
  nobody: "Everyone could still act.",
  unknown: "To see who could not act, you need permission to see all members.",
  "no-identity": "{count} without sign-in",
  "outside-domains": "{count} outside your domains",
  "no-second-factor": "{count} without a second factor",
  list: "People who could not act",
  lacksIdentity: "has not signed in through the organization yet",
  lacksDomain: "address outside your domains",
  lacksSecondFactor: "no second factor",
} as const;

/** Texts of the break-glass people. */
export const breakGlassTexts = {
  title: "Break-glass people",
  about:
    "They can always act, even without single sign-on, for example while the provider is down. One to five administrators of the whole organization, each with a second factor or a passkey.",
  aboutMe: "You must be on the list yourself before you can require single sign-on.",
  none: "Nobody is on the list.",
  ready: "Ready",
  notReady: "Not ready",
  notReadyAbout:
    "Needs the role of administrator for the whole organization, and a second factor or passkey.",
  person: "Person",
  personPlaceholder: "Search by name or email",
  add: "Add person",
  addMe: "Add yourself",
  remove: "Remove {email}",
  last: "Somebody who is ready must stay on the list while single sign-on is required or announced.",
  secondFactor: "Set up a second factor",
} as const;

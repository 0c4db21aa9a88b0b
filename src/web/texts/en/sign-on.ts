/** Texts of the frame of the page for single sign-on. */
export const signOnTexts = {
  signOn: "Single sign-on",
  about:
    "People sign in with the identity provider of your organization. Domains first, then the connection, then its test, and the policy last.",
  noPlan:
    "Your plan does not include single sign-on. You can prove domains and let people join by them; a connection and the policy need another plan.",
  plans: "Compare plans",
  off: "This installation does not offer single sign-on.",
} as const;

/** The state of a step, in its heading. */
export const stepTexts = {
  done: "Done",
  pending: "To do",
} as const;

/** Texts of the page that a setup link opens. */
export const setupTexts = {
  title: "Single sign-on",
  titleOf: "Single sign-on for {organization}",
  about:
    "{organization} asks you to set up these steps. You need no account. The link works until {time}, or until you finish.",
  finish: "Finish",
  finishAbout:
    "When everything is set up, finish. The administrators of {organization} then turn single sign-on on.",
  finishQuestion: "The link ends, and you cannot change anything by it afterwards.",
  goOn: "Go on with the setup",
  finished: "Thank you, the setup is finished",
  finishedAbout: "The administrators of the organization go on from here. You can close this page.",
  ended: "This link no longer works",
  endedAbout:
    "A setup link works for seven days, or until the setup is finished or the link revoked. Ask the organization for a new one.",
} as const;

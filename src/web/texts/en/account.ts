import { signInTexts } from "./sign-in.ts";

/** Texts of the pages before sign-in. */
export const accountTexts = {
  ...signInTexts,
  ssoTitle: "Sign in through your organization",
  ssoOther: "You are signed in as {email}. Continue as another person?",
  ssoContinue: "Continue",
  ssoStay: "Stay signed in",
  deadInvitationMember:
    "It was used already, or it has expired. If you accepted it, its organization is in your list: open the console.",
  newPassword: "New password",
  passwordHint: "At least 10 characters. A few unrelated words are easy to remember.",
  firstName: "First name",
  lastName: "Last name",
  haveAccount: "Do you have an account?",
  organization: "Organization",
  organizationHint: "Only to create your own organization. Leave empty if you were invited.",
  registrationClosed: "Registration is closed.",
  mailSent: "Check your mail",
  mailSentAbout:
    "We sent a link to {email}. Open it to confirm your address, then sign in. The link works for 24 hours.",
  toSignIn: "Go to sign in",
  confirmTitle: "Confirm your email address",
  confirmAbout: "If you did not register here, close this page. The account stays unconfirmed.",
  confirm: "Confirm the address",
  emailConfirmTitle: "Confirm the change of your email address",
  emailConfirmAbout: "The change is complete when both addresses have confirmed it.",
  emailConfirm: "Confirm the change",
  emailChanged: "Your email address was changed",
  emailWaits: "Confirmed. The other address must confirm, too.",
  emailCancelTitle: "Cancel the change of your email address",
  emailCancelAbout:
    "This also signs you out everywhere, and removes what was added since 24 hours before the request: passkeys, providers, the second factor and the password. If you did not ask for the change, choose a new password afterwards.",
  emailCancel: "Cancel the change",
  emailCanceled: "The change was canceled",
  emailUndoTitle: "Undo the change of your email address",
  emailUndoAbout:
    "Your account gets its former address again. Everybody is signed out, and what was added since 24 hours before the request is removed: passkeys, providers, the second factor and the password. You get a mail to choose a password.",
  emailUndo: "Undo the change",
  emailUndone: "The change was undone. We sent you a mail to choose a password.",
  emailNeedsSession: "Sign in first, then confirm the change.",
  dead: "This link no longer works",
  deadVerify:
    "A link works once, within 24 hours. If you have already confirmed your address, sign in. Otherwise enter your address to get a new link.",
  forgotTitle: "Choose a new password",
  forgotAbout: "Enter your email address. We will send you a link to choose a new password.",
  sendLink: "Send the link",
  forgotSent: "If an account with the address {email} exists, we have sent a link. It works for one hour.",
  resetAbout: "You will be signed out everywhere else.",
  save: "Save the password",
  deadReset: "A password link works once, within one hour.",
  anotherLink: "Request another link",
  invited: "Join {organization}",
  invitation: "Invitation",
  invitedNew: "The invitation is for {email}. Create your account to accept it.",
  invitedOld: "The invitation is for {email}, who has an account. Sign in to accept it.",
  invitedYou: "You are signed in as {email}.",
  invitedOther: "The invitation is for {email}, but you are signed in as {me}. Sign out to continue.",
  expires: "The link works until {date}.",
  accept: "Accept the invitation",
  createAndJoin: "Create the account and join",
  signInToAccept: "Sign in to accept",
  signOutToGoOn: "Sign out and continue",
  deadInvitation:
    "The invitation may have expired, been used, been revoked, or been replaced by a newer email. Ask for a new invitation.",
  unavailable:
    "This address belonged to an account and cannot be used. Ask to be invited with a different address.",
  alreadyMember: "You are already a member of this organization.",
  suspendedInvitation: "The organization is currently suspended. Try the link again later.",
  toHome: "Go to the home page",
  proven: "You can close this window.",
  callback: "Sign-in with another service",
  oneMoment: "One moment",
  notSignedIn: "Sign-in failed",
  back: "Back",
} as const;

/** Explanations of failed third-party sign-ins, by error code. */
export const callbackTexts = {
  ACCESS_DENIED: "You did not allow the sign-in at the other service. Try again.",
  INVALID_STATE: "The sign-in took too long, or began in another browser. Try again.",
  EMAIL_NOT_VERIFIED: "The other service has not confirmed your email address.",
  ACCOUNT_EXISTS:
    "There is an account with your email address. Sign in with your password, then add the other service in your profile.",
  EMAIL_UNAVAILABLE: "This email address belonged to an account and cannot be used.",
  REGISTRATION_CLOSED: "Registration is closed. If you were invited, open the link of the invitation.",
  IDENTITY_IN_USE: "The account at the other service is already linked to another user here.",
  SSO_DISABLED:
    "The organization's sign-in is turned off, or was just changed. Try again, or ask an administrator.",
  DOMAIN_MISMATCH:
    "Your provider signed you in, but your address is in none of the organization's verified domains. Ask an administrator.",
  ACCOUNT_NOT_ALLOWED: "This account cannot be used through an organization. Sign in with its password.",
  NOT_A_MEMBER:
    "Your provider signed you in, but you are not a member of the organization. Ask an administrator to invite you.",
  PLAN_LIMIT_REACHED: "The organization has no free seat. Ask an administrator.",
  ORGANIZATION_SUSPENDED: "The organization is suspended.",
  PROVIDER_ERROR:
    "The service that signs you in did not respond as expected. Try again later, or ask your administrator.",
  TOO_MANY_REQUESTS: "There were too many attempts. Wait a minute and try again.",
  UNKNOWN: "The sign-in did not succeed. Try again.",
} as const;

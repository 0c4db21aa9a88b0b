import type { Actions } from "./requests.ts";
import { PASSWORD } from "./world.ts";

const PROFILE = "/profile";
const FACTOR = "POST /auth/2fa/verify";
const RESET = "POST /auth/reset-password";
const REGISTER = "POST /auth/register";
const CONFIRM = "POST /auth/confirm-email-change";
const PASSKEY = "/profile/passkeys/{passkey}";
const password = PASSWORD;
/** Registers an invited address, but without using the invitation. */
const NEWCOMER = {
  ...{ email: "stranger-{unique}@example.com", password: "another blue yonder" },
  ...{ firstName: "New", lastName: "Person" },
};
const COOKIE = { cookie: "{member.cookie}" };
const NEW = "another blue yonder";
const OTHER = { organizationId: "{other organization}" };
const token = (text: string) => ({ token: `${text}-{unique}` });
const step = (challenge: string, proof: object) => ({ challengeToken: `${challenge}-{unique}`, ...proof });

/** Writes that lock the row of a user. */
export const ACCOUNT_ACTIONS: Actions = {
  refresh: ["nobody", "POST /auth/refresh", undefined, COOKIE],
  "refresh the other": ["nobody", "POST /auth/refresh", undefined, { cookie: "{member.otherCookie}" }],
  logout: ["member", "POST /auth/logout", undefined, COOKIE],
  switch: ["member", "POST /auth/organization", OTHER, COOKIE],
  "sign in": ["nobody", "POST /auth/login", { email: "{member.email}", password }],
  "change password": ["member", `POST ${PROFILE}/password`, { currentPassword: password, newPassword: NEW }],
  "reset password": ["nobody", RESET, { ...token("reset"), newPassword: "a third blue yonder" }],
  "delete account": ["member", `POST ${PROFILE}/delete`, { password }],
  "delete founder's account": ["founder", `POST ${PROFILE}/delete`, { password }],
  "delete user": ["operator", "DELETE /users/{member}"],
  "end a session": ["member", `DELETE ${PROFILE}/sessions/{member's other}`],
  "end other sessions": ["member", `DELETE ${PROFILE}/sessions`],
  "end all sessions": ["operator", "DELETE /users/{member}/sessions"],
  promote: ["operator", "PATCH /users/{member}", { isPlatformAdmin: true }],
  "demote operator": ["operator2", "PATCH /users/{operator}", { isPlatformAdmin: false }],
  "demote operator2": ["operator", "PATCH /users/{operator2}", { isPlatformAdmin: false }],
  "delete operator's account": ["operator", `POST ${PROFILE}/delete`, { password }],
  "verify email": ["nobody", "POST /auth/verify-email", token("verification")],
  "second factor": ["nobody", FACTOR, step("challenge", { recoveryCode: "aaaa" })],
  "second factor, same code": ["nobody", FACTOR, step("challenge2", { recoveryCode: "aaaa" })],
  "second factor, same challenge": ["nobody", FACTOR, step("challenge", { recoveryCode: "bbbb" })],
  "disable second factor": ["factor", `POST ${PROFILE}/2fa/disable`, { password, code: "bbbb" }],
  "reset second factor": ["operator", "DELETE /users/{factor}/2fa"],
  "second factor by app": ["nobody", FACTOR, step("challenge", { code: "{code}" })],
  "second factor by app, other challenge": ["nobody", FACTOR, step("challenge2", { code: "{code}" })],
  "disable by app": ["factor", `POST ${PROFILE}/2fa/disable`, { password, code: "{code}" }],
  "new recovery codes": ["factor", `POST ${PROFILE}/2fa/recovery-codes`, { code: "{code}" }],
  "offer second factor": ["second", `POST ${PROFILE}/2fa/setup`, { password }],
  "enable second factor": ["second", `POST ${PROFILE}/2fa/enable`, { code: "{code}" }],
  "unlink identity": ["member", `DELETE ${PROFILE}/identities/google`],
  register: ["nobody", REGISTER, NEWCOMER],
  "register with an organization": ["nobody", REGISTER, { ...NEWCOMER, organizationName: "Newcomers" }],
  "first name": ["member", `PATCH ${PROFILE}`, { firstName: "Grace" }],
  "last name": ["member", `PATCH ${PROFILE}`, { lastName: "Hopper" }],
  "invited's last name": ["invited", `PATCH ${PROFILE}`, { lastName: "Hopper" }],
  "found an organization": ["second", "POST /auth/organizations", { name: "Another" }],
  "read all": ["member", "POST /notifications/read-all"],
  "read one": ["member", "POST /notifications/{notification}/read"],
  dismiss: ["member", "DELETE /notifications/{notification}"],
  "rename passkey": ["member", `PATCH ${PASSKEY}`, { name: "Laptop" }],
  "remove passkey": ["member", `DELETE ${PASSKEY}`],
  "reset passkeys": ["operator", "DELETE /users/{member}/passkeys"],
  "confirm old email": ["nobody", CONFIRM, token("old of change")],
  "confirm new email": ["member", CONFIRM, token("new of change")],
  "confirm the second's new email": ["second", CONFIRM, token("new of change of the second")],
  "cancel change of email": ["nobody", "POST /auth/cancel-email-change", token("old of change")],
  "cancel own change of email": ["member", `DELETE ${PROFILE}/email`],
  "undo change of email": ["nobody", "POST /auth/undo-email-change", token("undo")],
  "request change of email": ["member", `POST ${PROFILE}/email`, { email: "wanted-{unique}@example.com" }],
};

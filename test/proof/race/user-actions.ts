import { type Fixture, PASSWORD } from "./fixture.ts";
import { PROVIDER, providerCallback } from "./identity-provider.ts";
import { subjectOf } from "./resources.ts";
import { type Action, patch, post, remove } from "./send.ts";

/** Registers an invited address, but without using the invitation. */
const newcomer = ({ unique }: Fixture) => ({
  ...{ email: `stranger-${unique}@example.com`, password: "another blue yonder" },
  ...{ firstName: "New", lastName: "Person" },
});

/** Writes that lock the row of a user. */
export const USER_ACTIONS: Record<string, Action> = {
  refresh: ({ people: { member } }) => post("/api/auth/refresh", null, undefined, { cookie: member.cookie }),
  "refresh the other": ({ people: { member } }) =>
    post("/api/auth/refresh", null, undefined, { cookie: member.otherCookie }),
  logout: ({ people: { member } }) => post("/api/auth/logout", member, undefined, { cookie: member.cookie }),
  switch: ({ people: { member }, ids }) =>
    post(
      "/api/auth/organization",
      member,
      { organizationId: ids["other organization"] },
      { cookie: member.cookie },
    ),
  "sign in": ({ people: { member } }) =>
    post("/api/auth/login", null, { email: member.email, password: PASSWORD }),
  "change password": ({ people: { member } }) =>
    post("/api/profile/password", member, { currentPassword: PASSWORD, newPassword: "another blue yonder" }),
  "reset password": ({ unique }) =>
    post("/api/auth/reset-password", null, { token: `reset-${unique}`, newPassword: "a third blue yonder" }),
  "delete account": ({ people: { member } }) => post("/api/profile/delete", member, { password: PASSWORD }),
  "delete founder's account": ({ people: { founder } }) =>
    post("/api/profile/delete", founder, { password: PASSWORD }),
  "delete user": ({ people }) => remove(`/api/users/${people.member.id}`, people.operator),
  "end a session": ({ people: { member } }) => remove(`/api/profile/sessions/${member.sids[1]}`, member),
  "end other sessions": ({ people: { member } }) => remove("/api/profile/sessions", member),
  "end all sessions": ({ people }) => remove(`/api/users/${people.member.id}/sessions`, people.operator),
  promote: ({ people }) =>
    patch(`/api/users/${people.member.id}`, people.operator, { isPlatformAdmin: true }),
  "demote operator": ({ people }) =>
    patch(`/api/users/${people.operator.id}`, people.operator2, { isPlatformAdmin: false }),
  "demote operator2": ({ people }) =>
    patch(`/api/users/${people.operator2.id}`, people.operator, { isPlatformAdmin: false }),
  "delete operator's account": ({ people: { operator } }) =>
    post("/api/profile/delete", operator, { password: PASSWORD }),
  "verify email": ({ unique }) => post("/api/auth/verify-email", null, { token: `verification-${unique}` }),
  "second factor": ({ unique }) =>
    post("/api/auth/2fa/verify", null, { challengeToken: `challenge-${unique}`, recoveryCode: "aaaa" }),
  "second factor, same code": ({ unique }) =>
    post("/api/auth/2fa/verify", null, { challengeToken: `challenge2-${unique}`, recoveryCode: "aaaa" }),
  "second factor, same challenge": ({ unique }) =>
    post("/api/auth/2fa/verify", null, { challengeToken: `challenge-${unique}`, recoveryCode: "bbbb" }),
  "disable second factor": ({ people: { factor } }) =>
    post("/api/profile/2fa/disable", factor, { password: PASSWORD, code: "bbbb" }),
  "reset second factor": ({ people }) => remove(`/api/users/${people.factor.id}/2fa`, people.operator),
  "second factor by app": ({ unique, code }) =>
    post("/api/auth/2fa/verify", null, { challengeToken: `challenge-${unique}`, code }),
  "second factor by app, other challenge": ({ unique, code }) =>
    post("/api/auth/2fa/verify", null, { challengeToken: `challenge2-${unique}`, code }),
  "disable by app": ({ people: { factor }, code }) =>
    post("/api/profile/2fa/disable", factor, { password: PASSWORD, code }),
  "new recovery codes": ({ people: { factor }, code }) =>
    post("/api/profile/2fa/recovery-codes", factor, { code }),
  "offer second factor": ({ people: { second } }) =>
    post("/api/profile/2fa/setup", second, { password: PASSWORD }),
  "enable second factor": ({ people: { second }, code }) => post("/api/profile/2fa/enable", second, { code }),
  "sign in by provider": (w) => providerCallback(subjectOf("member", w.unique), w.people.member.email),
  "register by provider": (w) => providerCallback(subjectOf("stranger", w.unique), newcomer(w).email),
  "link identity": (w) =>
    providerCallback(subjectOf("second", w.unique), "second@provider.test", w.people.second),
  "link another's identity": (w) =>
    providerCallback(subjectOf("second", w.unique), "second@provider.test", w.people.founder),
  "link another identity": (w) =>
    providerCallback(subjectOf("other", w.unique), "other@provider.test", w.people.second),
  "unlink identity": ({ people: { member } }) => remove(`/api/profile/identities/${PROVIDER}`, member),
  register: (w) => post("/api/auth/register", null, newcomer(w)),
  "register with an organization": (w) =>
    post("/api/auth/register", null, { ...newcomer(w), organizationName: "Newcomers" }),
  "first name": ({ people: { member } }) => patch("/api/profile", member, { firstName: "Grace" }),
  "last name": ({ people: { member } }) => patch("/api/profile", member, { lastName: "Hopper" }),
  "invited's last name": ({ people: { invited } }) => patch("/api/profile", invited, { lastName: "Hopper" }),
  "found an organization": ({ people: { second } }) =>
    post("/api/auth/organizations", second, { name: "Another" }),
  "read all": ({ people: { member } }) => post("/api/notifications/read-all", member),
  "read one": ({ people: { member }, ids }) => post(`/api/notifications/${ids.notification}/read`, member),
  dismiss: ({ people: { member }, ids }) => remove(`/api/notifications/${ids.notification}`, member),
};

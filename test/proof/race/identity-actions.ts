import type { Fixture } from "./fixture.ts";
import { type Action, patch, post, remove } from "./send.ts";

const PASSKEYS = "/api/profile/passkeys";
const link =
  (path: string, who: "member" | "second" | null, tokenOf: (unique: string) => string): Action =>
  ({ people, unique }: Fixture) =>
    post(`/api/auth/${path}`, who && people[who], { token: tokenOf(unique) });

/** Writes about passkeys and changes of email. */
export const IDENTITY_ACTIONS: Record<string, Action> = {
  "sign in by passkey": ({ assertions }) => post("/api/auth/passkey/verify", null, assertions.signIn),
  "prove by passkey": ({ people: { member }, assertions }) =>
    post("/api/profile/reauthenticate", member, { passkey: assertions.proof }),
  "delete account by passkey": ({ people: { member }, assertions }) =>
    post("/api/profile/delete", member, { passkey: assertions.proof }),
  "rename passkey": ({ people: { member }, ids }) =>
    patch(`${PASSKEYS}/${ids.passkey}`, member, { name: "Laptop" }),
  "remove passkey": ({ people: { member }, ids }) => remove(`${PASSKEYS}/${ids.passkey}`, member),
  "reset passkeys": ({ people }) => remove(`/api/users/${people.member.id}/passkeys`, people.operator),
  "confirm old email": link("confirm-email-change", null, (unique) => `old of change-${unique}`),
  "confirm new email": link("confirm-email-change", "member", (unique) => `new of change-${unique}`),
  "confirm the second's new email": link(
    "confirm-email-change",
    "second",
    (unique) => `new of change of the second-${unique}`,
  ),
  "cancel change of email": link("cancel-email-change", null, (unique) => `old of change-${unique}`),
  "cancel own change of email": ({ people: { member } }) => remove("/api/profile/email", member),
  "undo change of email": link("undo-email-change", null, (unique) => `undo-${unique}`),
  "request change of email": ({ people: { member }, unique }) =>
    post("/api/profile/email", member, { email: `wanted-${unique}@example.com` }),
};

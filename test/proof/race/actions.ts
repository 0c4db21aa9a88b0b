import { ACCOUNT_ACTIONS } from "../world/account-actions.ts";
import * as world from "../world/organization-actions.ts";
import type { Actions, Sign } from "../world/requests.ts";
import { APP_ACTIONS } from "./app-actions.ts";
import type { RaceWorld } from "./fixture.ts";
import { providerCallback } from "./identity-provider.ts";

const event = (world: RaceWorld, sign: Sign, id: string) => {
  const { body, signature } = sign("customer.subscription.updated", world.customer, `${id}_${world.unique}`);
  const headers = { "stripe-signature": signature };
  return { method: "POST", path: "/api/billing/webhook", raw: body, headers };
};
const signIn =
  (subject: string, email: string, linkOf?: string) =>
  ({ unique, texts, ids }: RaceWorld) =>
    providerCallback(
      `${subject}-${unique}`,
      texts[email] ?? email.replace("{unique}", unique),
      linkOf && { id: ids[linkOf] ?? "", cookie: texts[`${linkOf}.cookie`] ?? "" },
    );
/** The member proves the identity by the passkey. */
const byProof =
  (path: string) =>
  ({ tokens, assertions }: RaceWorld) => ({
    ...{ method: "POST", path, token: tokens.member ?? null, body: { passkey: assertions.proof } },
  });

const ORGANIZATION_ACTIONS: Actions<RaceWorld> = {
  ...world.ORGANIZATION_ACTIONS,
  "payment event": (world, sign) => event(world, sign, "evt"),
  "another payment event": (world, sign) => event(world, sign, "evt2"),
};
const ACCOUNT: Actions<RaceWorld> = {
  ...ACCOUNT_ACTIONS,
  "sign in by provider": signIn("member", "member.email"),
  "register by provider": signIn("stranger", "stranger-{unique}@example.com"),
  "link identity": signIn("second", "second@provider.test", "second"),
  "link another's identity": signIn("second", "second@provider.test", "founder"),
  "link another identity": signIn("other", "other@provider.test", "second"),
  "sign in by passkey": ({ assertions }) => ({
    ...{ method: "POST", path: "/api/auth/passkey/verify", body: assertions.signIn },
  }),
  "prove by passkey": byProof("/api/profile/reauthenticate"),
  "delete account by passkey": byProof("/api/profile/delete"),
};
const MACHINES = Object.keys({ ...world.MACHINE_ACTIONS, ...world.KEYED_ACTIONS });
const APPS = Object.keys(APP_ACTIONS);
const WEBHOOKS = Object.keys(world.WEBHOOK_ACTIONS);

export const ACTIONS: Actions<RaceWorld> = {
  ...{ ...ORGANIZATION_ACTIONS, ...ACCOUNT },
  ...{ ...world.MACHINE_ACTIONS, ...world.KEYED_ACTIONS, ...world.WEBHOOK_ACTIONS, ...APP_ACTIONS },
};

const names = (text: string) => {
  const all = text.split(",").map((name) => name.trim());
  const unknown = all.filter((name) => !(name in ACTIONS));
  if (unknown.length > 0) throw new Error(`No action ${unknown}`);
  return all;
};

/** Writes of an account or a session that also change rows of the organization. */
const SHARED = names(
  `refresh, switch, sign in, delete account, delete founder's account, delete user, promote, demote operator, read all,
   verify email, register, found an organization, first name, last name, invited's last name, sign in by provider,
   register by provider`,
);
/**
 * Writes by people that change what service accounts, API keys and repeated requests may do, or that compete with
 * them.
 */
const AGAINST_MACHINES = names(
  `delete role, change role, delete unit, delete parent, move other, move child, create role, demote second,
   remove founder, leave as founder, suspend, delete organization, smaller plan, invite, create unit, delete account`,
);
/** Writes that decide who may change endpoints, that end them, or that lock the same rows. */
const AGAINST_WEBHOOKS = names(
  `delete account of a machine, disable account, revoke key, demote founder, demote second, remove founder,
   leave as second, suspend, delete organization, smaller plan, no override, create todo, rename unit`,
);

/** Writes that end what people allowed apps, that decide who may allow something, or that lock the same rows. */
const AGAINST_APPS = names(
  `remove member, remove founder, leave as member, leave as founder, demote founder, change roles, delete unit, suspend,
   delete organization, delete account, delete founder's account, delete user, promote, reset password, change password,
   end other sessions, end all sessions, logout, refresh, undo change of email, cancel change of email, create unit,
   report key, default role`,
);

/** All pairs of writes that share a lock or a row. Each write is also paired with itself. */
export const PAIRS: [string, string][] = [
  ...pairsOf(Object.keys(ORGANIZATION_ACTIONS)),
  ...pairsOf(Object.keys(ACCOUNT)),
  ...pairsOf(MACHINES),
  ...products(MACHINES, AGAINST_MACHINES),
  ...pairsOf(WEBHOOKS),
  ...products(WEBHOOKS, AGAINST_WEBHOOKS),
  ...pairsOf(APPS),
  ...products(APPS, AGAINST_APPS),
  ...products(Object.keys(ORGANIZATION_ACTIONS), SHARED),
];

function products(ones: string[], others: string[]): [string, string][] {
  return ones.flatMap((one) => others.map((other): [string, string] => [one, other]));
}
function pairsOf(names: string[]): [string, string][] {
  return names.flatMap((one, index) => names.slice(index).map((other): [string, string] => [one, other]));
}

import { ofOrganization } from "./of-organization.ts";
import { ofUser } from "./of-user.ts";
import type { Action } from "./send.ts";

export const ACTIONS: Record<string, Action> = { ...ofOrganization, ...ofUser };

/** Writes of a user's account or sessions that also change something of the organization. */
const OF_BOTH = [
  ...["refresh", "switch", "sign in", "delete account", "delete founder's account", "delete user", "promote"],
  ...["demote operator", "read all", "verify email", "register", "found an organization"],
  ...["first name", "last name", "invited's last name", "sign in by provider", "register by provider"],
];

/** Every pair of writes that share a lock or a row, also of a write with itself. */
export const PAIRS: [string, string][] = [
  ...pairsOf(Object.keys(ofOrganization)),
  ...pairsOf(Object.keys(ofUser)),
  ...Object.keys(ofOrganization).flatMap((one) => OF_BOTH.map((other): [string, string] => [one, other])),
];

function pairsOf(all: string[]): [string, string][] {
  return all.flatMap((one, index) => all.slice(index).map((other): [string, string] => [one, other]));
}

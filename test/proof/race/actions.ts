import { ORGANIZATION_ACTIONS } from "./organization-actions.ts";
import type { Action } from "./send.ts";
import { USER_ACTIONS } from "./user-actions.ts";

export const ACTIONS: Record<string, Action> = { ...ORGANIZATION_ACTIONS, ...USER_ACTIONS };

/** Writes of an account or a session that also change rows of the organization. */
const SHARED_ACTIONS = [
  ...["refresh", "switch", "sign in", "delete account", "delete founder's account", "delete user", "promote"],
  ...["demote operator", "read all", "verify email", "register", "found an organization"],
  ...["first name", "last name", "invited's last name", "sign in by provider", "register by provider"],
];

/** All pairs of writes that share a lock or a row, including each write with itself. */
export const PAIRS: [string, string][] = [
  ...pairsOf(Object.keys(ORGANIZATION_ACTIONS)),
  ...pairsOf(Object.keys(USER_ACTIONS)),
  ...Object.keys(ORGANIZATION_ACTIONS).flatMap((one) =>
    SHARED_ACTIONS.map((other): [string, string] => [one, other]),
  ),
];

function pairsOf(names: string[]): [string, string][] {
  return names.flatMap((one, index) => names.slice(index).map((other): [string, string] => [one, other]));
}

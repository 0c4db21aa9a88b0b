import { IDENTITY_ACTIONS } from "./identity-actions.ts";
import { KEYED_ACTIONS, MACHINE_ACTIONS } from "./machine-actions.ts";
import { ORGANIZATION_ACTIONS } from "./organization-actions.ts";
import type { Action } from "./send.ts";
import { USER_ACTIONS } from "./user-actions.ts";
import { ACTIONS_AGAINST_WEBHOOKS, WEBHOOK_ACTIONS } from "./webhook-actions.ts";

export const ACTIONS: Record<string, Action> = {
  ...ORGANIZATION_ACTIONS,
  ...USER_ACTIONS,
  ...IDENTITY_ACTIONS,
  ...MACHINE_ACTIONS,
  ...KEYED_ACTIONS,
  ...WEBHOOK_ACTIONS,
};

/** Writes of an account or a session that also change rows of the organization. */
const SHARED_ACTIONS = [
  ...["refresh", "switch", "sign in", "delete account", "delete founder's account", "delete user", "promote"],
  ...["demote operator", "read all", "verify email", "register", "found an organization"],
  ...["first name", "last name", "invited's last name", "sign in by provider", "register by provider"],
];

/**
 * Writes by people that change what service accounts, API keys and repeated requests may do, or that compete with
 * them.
 */
const ACTIONS_AGAINST_MACHINES = [
  ...[
    "delete role",
    "change role",
    "delete unit",
    "delete parent",
    "move other",
    "move child",
    "create role",
  ],
  ...[
    "demote second",
    "remove founder",
    "leave as founder",
    "suspend",
    "delete organization",
    "smaller plan",
  ],
  ...["invite", "create unit", "delete account"],
];

/** All pairs of writes that share a lock or a row. Each write is also paired with itself. */
export const PAIRS: [string, string][] = [
  ...pairsOf(Object.keys(ORGANIZATION_ACTIONS)),
  ...pairsOf(Object.keys({ ...USER_ACTIONS, ...IDENTITY_ACTIONS })),
  ...pairsOf(Object.keys({ ...MACHINE_ACTIONS, ...KEYED_ACTIONS })),
  ...Object.keys({ ...MACHINE_ACTIONS, ...KEYED_ACTIONS }).flatMap((one) =>
    ACTIONS_AGAINST_MACHINES.map((other): [string, string] => [one, other]),
  ),
  ...pairsOf(Object.keys(WEBHOOK_ACTIONS)),
  ...Object.keys(WEBHOOK_ACTIONS).flatMap((one) =>
    ACTIONS_AGAINST_WEBHOOKS.map((other): [string, string] => [one, other]),
  ),
  ...Object.keys(ORGANIZATION_ACTIONS).flatMap((one) =>
    SHARED_ACTIONS.map((other): [string, string] => [one, other]),
  ),
];

function pairsOf(names: string[]): [string, string][] {
  return names.flatMap((one, index) => names.slice(index).map((other): [string, string] => [one, other]));
}

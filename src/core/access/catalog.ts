/** The scope of a permission: it can be held in a unit and all units below it, or only in the whole organization. */
export type Scope = "unit" | "organization";

/** Every permission with its scope and description (rules 12.2). A product adds its own here. */
const CATALOG = {
  "Organization.Read": ["unit", "See the organization"],
  "Organization.Update": ["organization", "Change the organization's name, slug and default role"],
  "Units.Read": ["unit", "See units"],
  "Units.Create": ["unit", "Create units"],
  "Units.Update": ["unit", "Rename and move units"],
  "Units.Delete": ["unit", "Delete units"],
  "Roles.Read": ["unit", "See roles"],
  "Roles.Create": ["organization", "Create roles"],
  "Roles.Update": ["organization", "Change roles"],
  "Roles.Delete": ["organization", "Delete roles"],
  "Members.Read": ["unit", "See members"],
  "Members.UpdateRoles": ["unit", "Change members' roles"],
  "Members.UpdateUnits": ["unit", "Change members' units"],
  "Members.Delete": ["unit", "Remove members"],
  "Invitations.Create": ["unit", "Invite people"],
  "Invitations.Read": ["unit", "See pending invitations"],
  "Invitations.Resend": ["unit", "Send invitations again"],
  "Invitations.Delete": ["unit", "Revoke invitations"],
  "ServiceAccounts.Read": ["unit", "See service accounts and their keys"],
  "ServiceAccounts.Create": ["unit", "Create service accounts"],
  "ServiceAccounts.Update": ["unit", "Rename, enable and disable service accounts"],
  "ServiceAccounts.UpdateRoles": ["unit", "Change service accounts' roles"],
  "ServiceAccounts.Delete": ["unit", "Delete service accounts"],
  "ApiKeys.Create": ["unit", "Create, change and rotate API keys"],
  "ApiKeys.Delete": ["unit", "Revoke API keys"],
  "Events.Read": ["unit", "Read events"],
  "Webhooks.Read": ["organization", "See webhook endpoints and their deliveries"],
  "Webhooks.Create": ["organization", "Create webhook endpoints"],
  "Webhooks.Update": ["organization", "Change webhook endpoints and send deliveries again"],
  "Webhooks.Delete": ["organization", "Delete webhook endpoints"],
  "Audit.Read": ["unit", "Read the audit log"],
  "Billing.Read": ["organization", "See the plan and its usage"],
  "Billing.Create": ["organization", "Buy a plan"],
  "Billing.Update": ["organization", "Manage the subscription"],
  "Helpdesk.Read": ["unit", "See the tickets of members"],
  "Helpdesk.ReadOne": ["unit", "Open the tickets of members"],
  "Helpdesk.Reply": ["unit", "Reply to tickets"],
  "Helpdesk.UpdateStatus": ["unit", "Change the status of tickets"],
  "Todos.Read": ["unit", "List your todos"],
  "Todos.ReadAny": ["unit", "See the todos of members"],
  "Todos.ReadOne": ["unit", "Open one's own todos"],
  "Todos.Create": ["unit", "Create todos"],
  "Todos.Update": ["unit", "Change one's own todos"],
  "Todos.UpdateAny": ["unit", "Change the todos of members"],
  "Todos.Delete": ["unit", "Delete one's own todos"],
  "Todos.DeleteAny": ["unit", "Delete the todos of members"],
} as const satisfies Record<string, readonly [Scope, string]>;

export type Permission = keyof typeof CATALOG;

export const permissions = Object.entries(CATALOG).map(([name, [scope, description]]) => ({
  name: name as Permission,
  scope: scope as Scope,
  description,
}));

export const permissionNames = permissions.map(({ name }) => name);

const allNames: ReadonlySet<string> = new Set(permissionNames);

/** Whether the catalog contains a permission with this name. Other names grant nothing. */
export const isKnownPermission = (name: string): name is Permission => allNames.has(name);

const unitNames: ReadonlySet<string> = new Set(
  permissions.filter(({ scope }) => scope === "unit").map(({ name }) => name),
);

/** Whether a permission has an effect in a role that is assigned in a unit. */
export const isUnitScoped = (name: string): name is Permission => unitNames.has(name);

/**
 * Returns the permissions of the catalog among these names, each once, in the order of the catalog. Drops unknown
 * names.
 */
export function inCatalogOrder(names: Iterable<string>): Permission[] {
  const included = new Set(names);
  return permissionNames.filter((name) => included.has(name));
}

export type BuiltInRole = { id: string; name: string; description: string; permissions: Permission[] };

export const ORG_ADMIN: BuiltInRole = {
  id: "00000000-0000-7000-8000-000000000001",
  name: "ORG_ADMIN",
  description: "Everything in the organization",
  permissions: permissionNames,
};
const UNIT_ADMIN: BuiltInRole = {
  id: "00000000-0000-7000-8000-000000000002",
  name: "UNIT_ADMIN",
  description: "Everything that can be done in a unit",
  permissions: permissionNames.filter(isUnitScoped),
};
/** The default role of the platform, for organizations without their own default role. */
export const MEMBER: BuiltInRole = {
  id: "00000000-0000-7000-8000-000000000003",
  name: "MEMBER",
  description: "Sees the organization and works on one's own records",
  permissions: [
    "Organization.Read",
    "Units.Read",
    "Todos.Read",
    "Todos.ReadOne",
    "Todos.Create",
    "Todos.Update",
    "Todos.Delete",
  ],
};

/** The built-in roles are the same in every organization; only `bun run migrate` changes them. */
export const builtInRoles = [ORG_ADMIN, UNIT_ADMIN, MEMBER];

import { Caller } from "./caller.ts";
import { assignments, type Organization, type RoleAssignment } from "./organizations.ts";
import { expectStatus } from "./service.ts";

export const ACCOUNTS = "/api/service-accounts";

/** A service account with one API key. */
export type Machine = {
  id: string;
  keyId: string;
  /** The API key in clear text. */
  key: string;
  /** Calls the API with the key. */
  caller: Caller;
};

type KeyOptions = { expiresAt?: string; allowedIps?: string[] };

let made = 0;

/** Creates a service account with these roles, as the organization's founder; returns its id. */
export async function createAccount(
  { admin }: Pick<Organization, "admin">,
  ...roles: RoleAssignment[]
): Promise<string> {
  made += 1;
  const body = { name: `Machine ${made}`, ...assignments(...roles) };
  return expectStatus(await admin.post(ACCOUNTS, body), 201).body.id;
}

/** Creates an API key of a service account, as the organization's founder. */
export async function createKey(
  { admin }: Pick<Organization, "admin">,
  id: string,
  options: KeyOptions = {},
): Promise<Machine> {
  const made = expectStatus(await admin.post(`${ACCOUNTS}/${id}/keys`, { name: "CI", ...options }), 201).body;
  return { id, keyId: made.id, key: made.key, caller: callerOf(admin.url, made.key) };
}

/** Creates a service account with these roles and one API key, as the organization's founder. */
export async function createMachine(
  organization: Pick<Organization, "admin">,
  ...roles: RoleAssignment[]
): Promise<Machine> {
  return createKey(organization, await createAccount(organization, ...roles));
}

/** Returns a caller that authenticates with an API key. */
export function callerOf(url: string, key: string): Caller {
  const caller = new Caller(url);
  caller.accessToken = key;
  return caller;
}

export const keyPath = ({ id, keyId }: Pick<Machine, "id" | "keyId">) => `${ACCOUNTS}/${id}/keys/${keyId}`;

import { newApiKey } from "../../../src/core/access/api-key-form.ts";
import { builtInRoles } from "../../../src/core/access/catalog.ts";
import { tokenHash } from "../../../src/platform/crypto.ts";
import { cheapHash } from "../../support/passwords.ts";
import { Rows } from "../../support/rows.ts";

export const PASSWORD = "wide blue yonder";
export const roleOf = (name: string): string => builtInRoles.find((role) => role.name === name)?.id ?? "";

/** A simulated person with a browser, in one organization or, for an operator, in none. */
export type Person = {
  id: string;
  email: string;
  /**
   * The kind of the person. Some do one thing only:
   * - a listener reads a notification stream
   * - a guest loses sessions and roles
   * - a factor has a second factor
   * - a multiBrowser signs in from many browsers at once
   * - a machine is a service account, whose token is its API key
   */
  role:
    | "ORG_ADMIN"
    | "UNIT_ADMIN"
    | "MEMBER"
    | "listener"
    | "guest"
    | "factor"
    | "multiBrowser"
    | "operator"
    | "machine";
  organization: Organization | null;
  token: string | null;
  cookie: string | null;
  /** Whether the cookie was never sent. Such a cookie must be accepted. */
  isFresh: boolean;
};
export type Organization = { id: string; units: string[]; customer: string };

const ROLES = [
  ...["ORG_ADMIN", "ORG_ADMIN", "UNIT_ADMIN", "MEMBER", "MEMBER", "MEMBER", "listener", "guest"],
] as Person["role"][];
/** The number of audit events at the start. It is enough for an export of an organization to have several chunks. */
const EARLIER_EVENTS = 1_200;

/** Returns a person with a new browser. The person is not signed in yet. */
export const newBrowser = ({
  id,
  email,
  role,
  organization,
}: Omit<Person, "token" | "cookie" | "isFresh">): Person => ({
  ...{ id, email, role, organization },
  ...{ token: null, cookie: null, isFresh: false },
});

/** Adds a service account that administers an organization, with an API key. */
function addMachine(rows: Rows, organization: Organization): Person {
  const at = { organization_id: organization.id };
  const id = rows.put("service_accounts", { ...at, name: "Machine" });
  const account = { ...at, service_account_id: id };
  rows.put("service_account_assignments", { ...account, role_id: roleOf("ORG_ADMIN"), unit_id: null });
  const token = newApiKey("mosk");
  rows.put("api_keys", { ...account, token_hash: tokenHash(token) });
  return { ...newBrowser({ id, email: "", role: "machine", organization }), token };
}

/** Inserts organizations with people of every role, on a plan with limited seats. */
export async function addPeople(
  sql: (text: string) => Promise<unknown>,
  organizations: number,
): Promise<Person[]> {
  const rows = new Rows();
  const hash = await cheapHash(PASSWORD);
  const people: Person[] = [];
  const person = (role: Person["role"], organization: Organization | null): Person => {
    const email = `${role.toLowerCase()}-${crypto.randomUUID()}@example.com`;
    const account = {
      email,
      last_name: "Lovelace",
      password_hash: hash,
      is_platform_admin: role === "operator",
    };
    const made = newBrowser({ id: rows.put("users", account), email, role, organization });
    people.push(made);
    return made;
  };
  for (let number = 0; number < organizations; number += 1) {
    const slug = `soak-${crypto.randomUUID()}`;
    const id = rows.put("organizations", { name: `Soak ${number}`, slug });
    const at = { organization_id: id };
    const customer = `cus_${slug}`;
    rows.put("organization_subscriptions", { ...at, customer_id: customer });
    const unit = () => rows.put("units", { ...at, name: `Unit of ${number}`, parent_id: null });
    const organization = { id, units: [unit(), unit()], customer };
    people.push(addMachine(rows, organization));
    for (const role of ROLES) {
      const { id: userId } = person(role, organization);
      const membership = { ...at, membership_id: rows.put("memberships", { ...at, user_id: userId }) };
      const isBuiltIn = role === "ORG_ADMIN" || role === "UNIT_ADMIN";
      const unitId = role === "ORG_ADMIN" ? null : (organization.units[0] ?? null);
      const roleId = roleOf(isBuiltIn ? role : "MEMBER");
      rows.put("membership_assignments", { ...membership, role_id: roleId, unit_id: unitId });
      if (unitId !== null) rows.put("membership_units", { ...membership, user_id: userId, unit_id: unitId });
    }
  }
  for (let number = 0; number < 2; number += 1) person("operator", null);
  for (let number = 0; number < 3; number += 1) person("factor", null);
  for (let number = 0; number < 2; number += 1) person("multiBrowser", null);
  await rows.insert({ sql });
  await sql(`INSERT INTO audit_events (action, organization_id)
    SELECT 'LOGIN_SUCCEEDED', id FROM organizations, generate_series(1, ${EARLIER_EVENTS})`);
  return people;
}

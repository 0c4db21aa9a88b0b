import * as units from "#sql/units";
import { builtInRoles } from "../../src/core/access/catalog.ts";
import { addMember, findMembership } from "../../src/core/accounts/memberships.ts";
import { systemCall } from "../../src/core/context.ts";
import { exactlyOne } from "../../src/platform/db/prepared-query.ts";
import { transaction } from "../../src/platform/db/transaction.ts";
import type { Caller } from "./caller.ts";
import { expectStatus, type Service } from "./service.ts";

export type RoleAssignment = { role: string; unit?: string | null };

const builtIn = new Map(builtInRoles.map(({ name, id }) => [name, id]));
/** The id of a built-in role by its name; an id is returned unchanged. */
export const roleId = (role: string): string => builtIn.get(role) ?? role;

const roleGrants = (all: RoleAssignment[]) =>
  all.map(({ role, unit = null }) => ({ roleId: roleId(role), unitId: unit }));

/** An assignment in requests. */
export const assignments = (...all: RoleAssignment[]) => ({ assignments: roleGrants(all) });

/** An organization whose founder has switched into it. */
export class Organization {
  constructor(
    private readonly t: Service,
    readonly id: string,
    /** Its founder, signed in, with ORG_ADMIN for the whole organization. */
    readonly admin: Caller,
  ) {}

  /** A new account that is a member with these roles, signed in there. */
  async member(...roles: RoleAssignment[]): Promise<Caller> {
    const person = await this.t.person();
    await this.add(person, ...(roles.length > 0 ? roles : [{ role: "MEMBER" }]));
    await person.refresh();
    return person;
  }

  /** Makes an account a member, without an invitation. */
  async add(person: Caller, ...roles: RoleAssignment[]): Promise<void> {
    await this.addUser(await userIdOf(this.t, person), ...roles);
  }

  /** Existing members are not changed. */
  async addUser(userId: string, ...roles: RoleAssignment[]): Promise<void> {
    const place = { organizationId: this.id, userId };
    await transaction(systemCall(this.t.running), async (tx) => {
      if ((await findMembership(tx.db, place)) === null) await addMember(tx, place, roleGrants(roles));
    });
  }

  /** Creates a unit, without a request. */
  async unit(name: string, parentId: string | null = null): Promise<string> {
    const made = { organizationId: this.id, parentId, name };
    return exactlyOne(await units.insertUnit.run(made, databaseOf(this.t))).id;
  }

  /** Creates a custom role, as its founder. */
  async role(name: string, ...permissions: string[]): Promise<string> {
    return expectStatus(await this.admin.post("/api/roles", { name, permissions }), 201).body.id;
  }

  /** Links a member to units in addition to those of their roles. */
  async link(person: Caller, ...unitIds: string[]): Promise<void> {
    const path = `/api/members/${await userIdOf(this.t, person)}/units`;
    const linked = expectStatus(await this.admin.get(path.replace("/units", "")), 200).body.units;
    const all = [...linked.map((unit: { id: string }) => unit.id), ...unitIds];
    expectStatus(await this.admin.patch(path, { unitIds: all }), 200);
  }
}

const databaseOf = (t: Service) => ({ query: (text: string, values: unknown[]) => t.sql(text, values) });

/** The id of a caller's account. */
export async function userIdOf(t: Service, person: Caller): Promise<string> {
  return exactlyOne(await t.sql<{ id: string }>("SELECT id FROM users WHERE email = $1", [person.email])).id;
}

/** Creates an organization through the real route, and switches its founder into it. */
export async function createOrganization(t: Service, name = "Acme"): Promise<Organization> {
  return createOrganizationBy(t, await t.person(), name);
}

export async function createOrganizationBy(
  t: Service,
  founder: Caller,
  name = "Acme",
): Promise<Organization> {
  const { id } = expectStatus(await founder.post("/api/auth/organizations", { name }), 201).body;
  expectStatus(await founder.post("/api/auth/organization", { organizationId: id }), 200);
  return new Organization(t, id, founder);
}

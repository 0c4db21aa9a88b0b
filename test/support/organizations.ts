import { builtInRoles } from "../../src/core/access/catalog.ts";
import { addMember, findMembership } from "../../src/core/accounts/memberships.ts";
import { systemCall } from "../../src/core/context.ts";
import { exactlyOne } from "../../src/platform/db/prepared-query.ts";
import { transaction } from "../../src/platform/db/transaction.ts";
import type { Caller } from "./caller.ts";
import { expectStatus, type Service } from "./service.ts";

export type RoleAssignment = { role: string; unit?: string | null };

const builtIn = new Map(builtInRoles.map(({ name, id }) => [name, id]));
/** Returns the id of a built-in role by its name; other values are returned unchanged. */
export const roleId = (role: string): string => builtIn.get(role) ?? role;

const roleGrants = (all: RoleAssignment[]) =>
  all.map(({ role, unit = null }) => ({ roleId: roleId(role), unitId: unit }));

/** Returns the `assignments` property of a request body. */
export const assignments = (...all: RoleAssignment[]) => ({ assignments: roleGrants(all) });

/** An organization, which is active for its founder. */
export class Organization {
  constructor(
    private readonly t: Service,
    readonly id: string,
    /** The founder, signed in, with ORG_ADMIN organization-wide. */
    readonly admin: Caller,
  ) {}

  /** Creates an account that is a member with these roles and signed in to this organization. */
  async member(...roles: RoleAssignment[]): Promise<Caller> {
    const person = await this.t.person();
    await this.add(person, ...(roles.length > 0 ? roles : [{ role: "MEMBER" }]));
    await person.refresh();
    return person;
  }

  /** Makes an account a member without an invitation. */
  async add(person: Caller, ...roles: RoleAssignment[]): Promise<void> {
    await this.addUser(await userIdOf(this.t, person), ...roles);
  }

  /** Makes a user a member; an existing member is not changed. */
  async addUser(userId: string, ...roles: RoleAssignment[]): Promise<void> {
    const place = { organizationId: this.id, userId };
    await transaction(systemCall(this.t.running), async (tx) => {
      if ((await findMembership(tx.db, place)) === null) await addMember(tx, place, roleGrants(roles));
    });
  }

  /** Inserts a unit without a request; returns its id. */
  async unit(name: string, parentId: string | null = null): Promise<string> {
    const [unit] = await this.t.sql<{ id: string }>(
      "INSERT INTO units (organization_id, parent_id, name) VALUES ($1, $2, $3) RETURNING id",
      [this.id, parentId, name],
    );
    return unit?.id ?? "";
  }

  /** Creates a custom role as the founder; returns its id. */
  async role(name: string, ...permissions: string[]): Promise<string> {
    return expectStatus(await this.admin.post("/api/roles", { name, permissions }), 201).body.id;
  }

  /** Links a member to units in addition to their present ones. */
  async link(person: Caller, ...unitIds: string[]): Promise<void> {
    const path = `/api/members/${await userIdOf(this.t, person)}/units`;
    const linked = expectStatus(await this.admin.get(path.replace("/units", "")), 200).body.units;
    const all = [...linked.map((unit: { id: string }) => unit.id), ...unitIds];
    expectStatus(await this.admin.patch(path, { unitIds: all }), 200);
  }
}

/** Returns the id of a caller's account. */
export async function userIdOf(t: Service, person: Caller): Promise<string> {
  return exactlyOne(await t.sql<{ id: string }>("SELECT id FROM users WHERE email = $1", [person.email])).id;
}

/** Creates an organization through the API, and makes it active for its founder. */
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

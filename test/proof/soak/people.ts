import { newApiKey } from "../../../src/core/access/token-forms.ts";
import { tokenHash } from "../../../src/platform/crypto.ts";
import { type Account, World } from "../world/world.ts";

/** The kind of a person. A listener reads a notification stream. The token of a machine is its API key. */
export type Role = ("ORG_ADMIN" | "UNIT_ADMIN" | "MEMBER" | "machine" | "operator") | "listener";

type Identity = Account & { role: Role; world: SoakWorld };
/** A simulated person with a browser, in one organization or, for an operator, in none. */
export type Person = Identity & {
  token: string | null;
  cookie: string | null;
  /** Whether the cookie was never sent. Such a cookie must be accepted. */
  isFresh: boolean;
};

/** Returns a person with a new browser. The person is not signed in yet. */
export const newBrowser = ({ id, email, role, world }: Identity): Person => ({
  ...{ id, email, role, world, token: null, cookie: null, isFresh: false },
});

/** Somebody without an account. */
export const newVisitor = (world: SoakWorld): Person => ({
  ...newBrowser({ id: "", email: "", role: "MEMBER", world }),
  token: "",
});

/** An organization with people of every role, by the names with which actions refer to them. */
export class SoakWorld extends World {
  readonly people: Record<string, Person> = {};

  add(who: string, role: Role, more: Record<string, unknown> = {}): void {
    this.people[who] = newBrowser({ ...this.person(who, more), role, world: this });
  }
}

const MEMBERS: Record<string, Role> = {
  ...{ founder: "ORG_ADMIN", second: "ORG_ADMIN", unitAdmin: "UNIT_ADMIN" },
  ...{ member: "MEMBER", member2: "MEMBER", member3: "MEMBER", listener: "listener" },
};
/** The number of audit events at the start. It is enough for an export of an organization to have several chunks. */
const EARLIER_EVENTS = 1_200;

/** Inserts organizations on a plan with limited seats, and people without an organization. */
export async function addWorlds(sql: (text: string) => Promise<unknown>, count: number) {
  const worlds = Array.from({ length: count }, organizationWithPeople);
  const nowhere = new SoakWorld();
  for (const who of ["operator", "operator2"]) nowhere.add(who, "operator", { is_platform_admin: true });
  for (const world of [...worlds, nowhere]) await world.rows.insert({ sql });
  await sql(`INSERT INTO audit_events (action, organization_id)
    SELECT 'LOGIN_SUCCEEDED', id FROM organizations, generate_series(1, ${EARLIER_EVENTS})`);
  return { worlds, people: [...worlds, nowhere].flatMap(({ people }) => Object.values(people)) };
}

function organizationWithPeople(): SoakWorld {
  const world = new SoakWorld();
  world.organization("org", "enterprise");
  const root = world.unit("root", null);
  for (const name of ["child", "empty"]) world.unit(name, root);
  world.role("custom");
  for (const [who, role] of Object.entries(MEMBERS)) {
    world.add(who, role);
    const isBuiltIn = role === "ORG_ADMIN" || role === "UNIT_ADMIN";
    world.join(who, "org", isBuiltIn ? role : "MEMBER", role === "ORG_ADMIN" ? null : root);
  }
  const key = newApiKey("mosk");
  world.machine("machine", "ORG_ADMIN")("key", tokenHash(key));
  const machine = newBrowser({ id: world.ids.machine ?? "", email: "", role: "machine", world });
  world.people.key = { ...machine, token: key };
  return world;
}

import { newToken, tokenHash } from "../../../../src/platform/crypto.ts";
import { Caller, claimsOf } from "../../../support/caller.ts";
import { report } from "../../../support/helpdesk.ts";
import { pngWith } from "../../../support/images.ts";
import { cheapHash } from "../../../support/passwords.ts";
import { Rows } from "../../../support/rows.ts";
import type { Service } from "../../../support/service.ts";
import { CALLERS, type CallerName, ORGANIZATIONS, type OrganizationName } from "./callers.ts";
import { type Planted, plantOrganization, roleOf } from "./organization.ts";
import { plantTokens } from "./tokens.ts";

/** Each has a password of their own, so that nobody signs in as somebody else. */
export const passwordOf = (name: CallerName) => `wide blue ${name}`;
const hashes = new Map(
  await Promise.all(CALLERS.map(async (name) => [name, await cheapHash(passwordOf(name))] as const)),
);

/** What the requests of a case refer to. */
export type World = {
  callers: Record<CallerName, Caller>;
  organizations: Record<OrganizationName, Planted>;
  /** The organization of each id that was planted. */
  owners: Map<string, OrganizationName>;
  /** The account of each caller. */
  people: Record<CallerName, string>;
  emails: string[];
  tokens: string[];
  challenges: string[];
  /** Secrets of authenticator apps that callers were offered. */
  secrets: Map<CallerName, string>;
  /** Where callers are with a provider, after they signed in there. */
  visits: Map<CallerName, { code: string; state: string; iss: string; cookie: string }>;
  /** A second session of each caller, in another browser. */
  others: Record<CallerName, { sid: string; cookie: string }>;
  /** What searches look for: numbers of tickets, and words, of every organization. */
  numbers: string[];
  sought: string[];
  /** Ids in earlier answers. */
  found: { kind: string; id: string; caller: CallerName }[];
};

/**
 * Four organizations and a signed-in caller of every role, the same for every case but for their ids. Written by
 * statements, because a run needs a thousand of them.
 */
export async function createWorld(t: Service): Promise<World> {
  const rows = new Rows();
  const organizations = Object.fromEntries(
    ORGANIZATIONS.map((name) => [name, plantOrganization(rows, name)]),
  ) as World["organizations"];
  const unique = crypto.randomUUID().slice(0, 13);
  const emailOf = (name: CallerName) =>
    name === "anonymous" ? "" : `${name.toLowerCase()}-${unique}@example.com`;
  const world: World = {
    callers: Object.fromEntries(
      CALLERS.map((name) => [name, new Caller(t.url, { email: emailOf(name), password: passwordOf(name) })]),
    ) as World["callers"],
    organizations,
    owners: new Map(
      ORGANIZATIONS.flatMap((name) =>
        Object.values(organizations[name].ids).flatMap((ids) => ids.map((id) => [id, name] as const)),
      ),
    ),
    people: {} as World["people"],
    emails: [...ORGANIZATIONS.flatMap((name) => organizations[name].emails), ...CALLERS.map(emailOf)],
    tokens: [],
    challenges: [],
    secrets: new Map(),
    visits: new Map(),
    others: {} as World["others"],
    ...{ numbers: [], sought: [] },
    found: [],
  };
  world.people = plantCallers(rows, world);
  plantTokens(rows, t, world, unique);
  await rows.insert(t);
  await deleteGone(t, world);
  await signIn(t, world);
  return world;
}

/** Accounts of all callers, with their memberships. */
function plantCallers(rows: Rows, { organizations, callers, found, others }: World): World["people"] {
  const { own, other, suspended, closed } = organizations;
  const people = {} as Record<CallerName, string>;
  for (const name of CALLERS) {
    if (name === "anonymous") continue;
    people[name] = rows.put("users", {
      ...{ email: callers[name].email, last_name: "Lovelace" },
      ...{ password_hash: hashes.get(name), is_platform_admin: name === "platformAdmin" },
    });
    found.push({
      kind: "notification",
      id: rows.put("notifications", { user_id: people[name] }),
      caller: name,
    });
    const [sid, cookie] = [crypto.randomUUID(), newToken()];
    others[name] = { sid, cookie };
    rows.put("refresh_tokens", { session_id: sid, user_id: people[name], token_hash: tokenHash(cookie) });
    found.push({ kind: "session", id: sid, caller: name });
    // Another person's act, which the caller's own records do not show.
    rows.put("audit_events", {
      ...{ organization_id: own.id, action: "MEMBER_ROLES_CHANGED", actor_id: own.founder },
      ...{ target_type: "user", target_id: people[name], metadata: { added: [], removed: [] } },
    });
  }
  const join = (at: Planted, name: CallerName, roleId: string, unitId: string | null = null) => {
    at.member(people[name], roleId, unitId);
    at.ids.user?.push(people[name]);
  };
  join(own, "member", roleOf("MEMBER"), own.unit);
  join(own, "unitAdmin", roleOf("UNIT_ADMIN"), own.unit);
  join(own, "orgAdmin", roleOf("ORG_ADMIN"));
  join(own, "auditor", own.roles.Auditor);
  join(own, "support", own.roles.Support);
  join(own, "manager", own.roles.Manager);
  join(own, "inBoth", roleOf("MEMBER"));
  join(own, "removed", roleOf("ORG_ADMIN"));
  join(own, "secondFactor", roleOf("MEMBER"));
  join(other, "stranger", roleOf("ORG_ADMIN"));
  join(other, "inBoth", roleOf("ORG_ADMIN"));
  join(suspended, "suspended", roleOf("ORG_ADMIN"));
  join(closed, "reader", closed.roles.Reader);
  const reported = [
    ...["member", "unitAdmin", "orgAdmin", "support"].map((name) => [own, name as CallerName] as const),
    [other, "stranger"] as const,
  ];
  for (const [at, name] of reported) {
    const about = { subject: `Own ${at.marker}`, reporter_id: people[name], page_path: null };
    const ticket = rows.put("tickets", { organization_id: at.id, ...about });
    const author = { author_id: people[name], staff_scope: null, internal: false };
    rows.put("ticket_messages", { ticket_id: ticket, ...author, body: at.marker });
    const byStaff = { ticket_id: ticket, internal: true };
    rows.put("ticket_messages", {
      ...{ ...byStaff, author_id: at.founder, staff_scope: "ORGANIZATION", body: at.words.notes },
    });
    // Of former staff, who are not told of anything any more.
    if (at === own)
      rows.put("ticket_messages", {
        ...{ ...byStaff, author_id: people.removed, staff_scope: "ORGANIZATION", body: at.words.notes },
      });
    rows.put("ticket_messages", {
      ...{
        ...byStaff,
        author_id: people.platformAdmin,
        staff_scope: "PLATFORM",
        body: at.words.platformNotes,
      },
    });
    found.push({ kind: "ticket", id: ticket, caller: name });
  }
  return people;
}

/** Deletes what nobody may see any more, and reads the numbers that tickets got. */
async function deleteGone(t: Service, { organizations, numbers, sought, emails }: World) {
  const all = Object.values(organizations);
  const deleted = all
    .flatMap(({ gone }) => gone)
    .map(({ table, id }) => `UPDATE ${table} SET is_deleted = true, deleted_at = now() WHERE id = '${id}'`);
  await t.sql(deleted.join(";\n"));
  const given = await t.sql<{ number: number }>("SELECT number FROM tickets WHERE id = ANY ($1)", [
    all.flatMap(({ ids }) => ids.ticket ?? []),
  ]);
  const ofTickets = [...given.map(({ number }) => String(number)), "0", "2147483648", "9".repeat(25)];
  numbers.push(...ofTickets.map((number) => `#${number}`));
  sought.push(...all.map(({ slug }) => slug), ...emails);
}

/** Signs everybody in; some lose afterwards what their tokens say. */
async function signIn(t: Service, world: World) {
  const { callers, organizations, found, owners, people } = world;
  await Promise.all(
    CALLERS.filter((name) => name !== "anonymous").map(async (name) => {
      await callers[name].login();
      found.push({ kind: "session", id: claimsOf(callers[name].accessToken ?? "").sid, caller: name });
    }),
  );
  const ticket = await report(callers.member, {}, [pngWith()]);
  const image = ticket.messages[0]?.attachments[0]?.id ?? "";
  organizations.own.ids.attachment = [image];
  for (const id of [ticket.id, image]) owners.set(id, "own");
  found.push({ kind: "ticket", id: ticket.id, caller: "member" });
  const { suspended } = organizations;
  await t.sql("UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1", [suspended.id]);
  await t.sql("UPDATE memberships SET is_deleted = true, deleted_at = now() WHERE user_id = $1", [
    people.removed,
  ]);
  await t.sql("UPDATE users SET is_deleted = true, deleted_at = now() WHERE id = $1", [people.deleted]);
  await t.sql("UPDATE users SET two_factor_enabled_at = now() WHERE id = $1", [people.secondFactor]);
}

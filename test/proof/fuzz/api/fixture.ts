import { newApiKey } from "../../../../src/core/access/api-key-form.ts";
import { newSecret, webhookCipher } from "../../../../src/features/webhooks/secret.ts";
import { newToken, tokenHash } from "../../../../src/platform/crypto.ts";
import type { SoftAuthenticator } from "../../../support/authenticator.ts";
import { Caller, claimsOf } from "../../../support/caller.ts";
import { report } from "../../../support/helpdesk.ts";
import { pngWith } from "../../../support/images.ts";
import { cheapHash } from "../../../support/passwords.ts";
import { Rows } from "../../../support/rows.ts";
import type { Service } from "../../../support/service.ts";
import {
  CALLERS,
  type CallerName,
  isMachine,
  MACHINES,
  ORGANIZATIONS,
  type OrganizationName,
} from "./callers.ts";
import { readClaimsOfKey } from "./claims.ts";
import { addOrganization, type OrganizationFixture, roleOf } from "./organization.ts";
import { addPasskeys } from "./passkeys.ts";
import type { Receiver } from "./receiver.ts";
import { addTokens } from "./tokens.ts";

/**
 * Returns the password of a caller. All passwords are different, so that a sign-in with another caller's password
 * fails.
 */
export const passwordOf = (name: CallerName) => `wide blue ${name}`;
const hashes = new Map(
  await Promise.all(CALLERS.map(async (name) => [name, await cheapHash(passwordOf(name))] as const)),
);

/** The data that the requests of a case refer to. */
export type Fixture = {
  callers: Record<CallerName, Caller>;
  organizations: Record<OrganizationName, OrganizationFixture>;
  /** The organization of each inserted record. */
  organizationById: Map<string, OrganizationName>;
  /** The account of each caller. */
  userIds: Record<CallerName, string>;
  emails: string[];
  tokens: string[];
  challenges: string[];
  /** The address of the receiver of webhooks. */
  receiverUrl: string;
  /**
   * The API keys that an unauthenticated caller may report as leaked: those of the organization `own`, and unknown
   * ones.
   */
  strayKeys: string[];
  /** The secrets of authenticator apps that callers are setting up. */
  secrets: Map<CallerName, string>;
  /** Parameters of the sign-in callback, after a caller has signed in at a provider. */
  providerVisits: Map<CallerName, { code: string; state: string; iss: string; cookie: string }>;
  /** The passkey of each caller that has one. */
  authenticators: Map<CallerName, SoftAuthenticator>;
  /** What a caller sends next: the challenge and the response of a passkey, and the link of a change of email. */
  ceremonies: Map<CallerName, { challengeToken: string; response: unknown }>;
  links: Map<CallerName, string>;
  /** Search terms: numbers of tickets, slugs and emails of all organizations. */
  ticketNumbers: string[];
  searchTerms: string[];
  /** Ids that earlier responses contained. */
  recordedIds: { kind: string; id: string; caller: CallerName }[];
};

/**
 * Inserts four organizations and signs in a caller of every role. All cases have the same data except for ids. The
 * data is inserted by SQL, because a run needs a thousand fixtures.
 */
export async function createFixture(t: Service, receiver: Pick<Receiver, "url">): Promise<Fixture> {
  const rows = new Rows();
  const organizations = Object.fromEntries(
    ORGANIZATIONS.map((name) => {
      const secret = webhookCipher(t.running.app).encrypt(newSecret());
      return [name, addOrganization(rows, name, { url: receiver.url, secret })];
    }),
  ) as Fixture["organizations"];
  const unique = crypto.randomUUID().slice(0, 13);
  const emailOf = (name: CallerName) =>
    name === "anonymous" ? "" : `${name.toLowerCase()}-${unique}@example.com`;
  const fixture: Fixture = {
    callers: Object.fromEntries(
      CALLERS.map((name) => [name, new Caller(t.url, { email: emailOf(name), password: passwordOf(name) })]),
    ) as Fixture["callers"],
    organizations,
    organizationById: new Map(
      ORGANIZATIONS.flatMap((name) =>
        Object.values(organizations[name].ids).flatMap((ids) => ids.map((id) => [id, name] as const)),
      ),
    ),
    userIds: {} as Fixture["userIds"],
    emails: [...ORGANIZATIONS.flatMap((name) => organizations[name].emails), ...CALLERS.map(emailOf)],
    tokens: [],
    challenges: [],
    receiverUrl: receiver.url,
    strayKeys: [newApiKey("mosk"), newApiKey("mosk"), newApiKey("mosk"), "mosk_short"],
    secrets: new Map(),
    providerVisits: new Map(),
    ...{ authenticators: new Map(), ceremonies: new Map(), links: new Map() },
    ...{ ticketNumbers: [], searchTerms: [] },
    recordedIds: [],
  };
  fixture.userIds = addCallers(rows, fixture);
  addTokens(rows, t, fixture, unique);
  addPasskeys(rows, fixture);
  await rows.insert(t);
  await deleteRecords(t, fixture);
  await signIn(t, fixture);
  return fixture;
}

/** Adds accounts of all callers, with their memberships. Returns their ids. */
function addCallers(
  rows: Rows,
  { organizations, callers, recordedIds, strayKeys }: Fixture,
): Fixture["userIds"] {
  const { own, other, suspended, closed } = organizations;
  const userIds = {} as Record<CallerName, string>;
  for (const name of CALLERS) {
    if (name === "anonymous" || isMachine(name)) continue;
    userIds[name] = rows.put("users", {
      ...{ email: callers[name].email, last_name: "Lovelace" },
      ...{ password_hash: hashes.get(name), is_platform_admin: name === "platformAdmin" },
    });
    recordedIds.push({
      kind: "notification",
      id: rows.put("notifications", { user_id: userIds[name] }),
      caller: name,
    });
    // A second session, in another browser.
    const [sid, hash] = [crypto.randomUUID(), tokenHash(newToken())];
    rows.put("refresh_tokens", { session_id: sid, user_id: userIds[name], token_hash: hash });
    recordedIds.push({ kind: "session", id: sid, caller: name });
    // An event by another person, which the caller's own records must not contain.
    rows.put("audit_events", {
      ...{ organization_id: own.id, action: "MEMBER_ROLES_CHANGED", actor_id: own.founder },
      ...{ target_type: "user", target_id: userIds[name], metadata: { added: [], removed: [] } },
    });
  }
  for (const name of MACHINES) {
    const [roleName, unitId] = name === "machine" ? ["ORG_ADMIN", null] : ["UNIT_ADMIN", own.unit];
    const at = { organization_id: own.id };
    userIds[name] = rows.put("service_accounts", { ...at, name, created_by_id: own.founder });
    own.ids.serviceAccount?.push(userIds[name]);
    const account = { ...at, service_account_id: userIds[name] };
    rows.put("service_account_assignments", { ...account, role_id: roleOf(roleName), unit_id: unitId });
    const key = newApiKey("mosk");
    callers[name].accessToken = key;
    const stored = { ...account, created_by_id: own.founder, token_hash: tokenHash(key) };
    own.ids.apiKey?.push(rows.put("api_keys", { ...stored, name }));
  }
  const bot = { organization_id: own.id, service_account_id: own.ids.serviceAccount?.[0] };
  const stray = { ...bot, name: own.marker };
  for (const key of strayKeys.slice(0, 2))
    rows.put("api_keys", { ...stray, created_by_id: own.founder, token_hash: tokenHash(key) });
  const join = (at: OrganizationFixture, name: CallerName, roleId: string, unitId: string | null = null) => {
    at.member(userIds[name], roleId, unitId);
    at.ids.user?.push(userIds[name]);
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
  const reporters = (["member", "unitAdmin", "orgAdmin", "support", "stranger"] as const).map(
    (name) => [name === "stranger" ? other : own, name] as const,
  );
  for (const [at, name] of reporters) {
    const about = { subject: `Own ${at.marker}`, reporter_id: userIds[name], page_path: null };
    const ticket = rows.put("tickets", { organization_id: at.id, ...about });
    const { notes, platformNotes } = at.restrictedMarkers;
    const say = (author: string, scope: string | null, body: string) =>
      rows.put("ticket_messages", {
        ...{ ticket_id: ticket, author_id: author, staff_scope: scope, body, internal: scope !== null },
      });
    say(userIds[name], null, at.marker);
    say(at.founder, "ORGANIZATION", notes);
    // A message by a former staff member, who gets no notifications any more.
    if (at === own) say(userIds.removed, "ORGANIZATION", notes);
    say(userIds.platformAdmin, "PLATFORM", platformNotes);
    recordedIds.push({ kind: "ticket", id: ticket, caller: name });
  }
  return userIds;
}

/** Deletes the records that nobody may see, and reads the numbers of the tickets. */
async function deleteRecords(t: Service, { organizations, ticketNumbers, searchTerms, emails }: Fixture) {
  const all = Object.values(organizations);
  const deleted = all
    .flatMap(({ toDelete }) => toDelete)
    .map(({ table, id }) => `UPDATE ${table} SET is_deleted = true, deleted_at = now() WHERE id = '${id}'`);
  await t.sql(deleted.join(";\n"));
  const tickets = await t.sql<{ number: number }>("SELECT number FROM tickets WHERE id = ANY ($1)", [
    all.flatMap(({ ids }) => ids.ticket ?? []),
  ]);
  const numbers = [...tickets.map(({ number }) => String(number)), "0", "2147483648", "9".repeat(25)];
  ticketNumbers.push(...numbers.map((number) => `#${number}`));
  searchTerms.push(...all.map(({ slug }) => slug), ...emails);
}

/** Signs in all callers. Afterwards removes, deletes or suspends some of them, so that their tokens are outdated. */
async function signIn(t: Service, fixture: Fixture) {
  const { callers, organizations, recordedIds, organizationById, userIds } = fixture;
  await Promise.all(
    CALLERS.filter((name) => name !== "anonymous" && !isMachine(name)).map(async (name) => {
      await callers[name].login();
      recordedIds.push({ kind: "session", id: claimsOf(callers[name].accessToken ?? "").sid, caller: name });
    }),
  );
  for (const name of MACHINES) await readClaimsOfKey(t.url, callers[name].accessToken ?? "");
  const ticket = await report(callers.member, {}, [pngWith()]);
  const image = ticket.messages[0]?.attachments[0]?.id ?? "";
  organizations.own.ids.attachment = [image];
  for (const id of [ticket.id, image]) organizationById.set(id, "own");
  recordedIds.push({ kind: "ticket", id: ticket.id, caller: "member" });
  const { suspended } = organizations;
  for (const [change, id] of [
    ["organizations SET status = 'SUSPENDED' WHERE id = $1", suspended.id],
    ["memberships SET is_deleted = true, deleted_at = now() WHERE user_id = $1", userIds.removed],
    ["users SET is_deleted = true, deleted_at = now() WHERE id = $1", userIds.deleted],
    ["users SET two_factor_enabled_at = now() WHERE id = $1", userIds.secondFactor],
  ])
    await t.sql(`UPDATE ${change}`, [id]);
}

import { newApiKey } from "../../../../src/core/access/token-forms.ts";
import { newToken, tokenHash } from "../../../../src/platform/crypto.ts";
import { cheapHash } from "../../../support/passwords.ts";
import type { Rows } from "../../../support/rows.ts";
import { CALLERS, type CallerName, hasAccount, MACHINES } from "./callers.ts";
import type { Fixture } from "./fixture.ts";
import { type OrganizationFixture, roleOf } from "./organization.ts";

/**
 * Returns the password of a caller. All passwords are different, so that a sign-in with another caller's password
 * fails.
 */
export const passwordOf = (name: CallerName) => `wide blue ${name}`;
const hashes = new Map(
  await Promise.all(CALLERS.map(async (name) => [name, await cheapHash(passwordOf(name))] as const)),
);

/** Adds accounts of all callers, with their memberships. Returns their ids. */
export function addCallers(
  rows: Rows,
  { organizations, callers, recordedIds, strayKeys }: Fixture,
): Fixture["userIds"] {
  const { own, other, suspended, closed } = organizations;
  const userIds = {} as Record<CallerName, string>;
  for (const name of CALLERS) {
    if (!hasAccount(name)) continue;
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
  for (const name of ["confined", "bound"] as const) {
    join(own, name, roleOf("MEMBER"));
    join(other, name, roleOf("ORG_ADMIN"));
  }
  rows.put("break_glass_members", { organization_id: other.id, user_id: userIds.stranger });
  const about = { type: "JOIN_REQUESTED", data: { organizationId: other.id, count: 1 } };
  rows.put("notifications", { user_id: userIds.confined, ...about });
  join(suspended, "suspended", roleOf("ORG_ADMIN"));
  join(closed, "reader", closed.roles.Reader);
  const reporters = (["member", "unitAdmin", "orgAdmin", "support", "stranger", "confined"] as const).map(
    (name) => [name === "stranger" || name === "confined" ? other : own, name] as const,
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

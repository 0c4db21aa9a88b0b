import { createCipher, tokenHash } from "../../../src/platform/crypto.ts";
import { environmentFor } from "../../support/environment.ts";
import { roleOf, type World } from "../world/world.ts";
import { PROVIDER } from "./identity-provider.ts";

/** The secret of every authenticator app. */
export const SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const twoFactor = createCipher(environmentFor("", 0).TWO_FACTOR_ENCRYPTION_KEY ?? "", "two-factor", null);

/** The number of organizations created and invitations sent today. Each is one below its limit. */
const FOUNDED_TODAY = 4;
const INVITED_TODAY = 19;
/** The number of keys of one service account. It is one below the limit. */
const KEYS = 9;
/** The number of added sessions. With the two sessions of each user, it is one below the limit of ten. */
const OLD_SESSIONS = 7;

const LATER = "2099-01-01T00:00:00Z";
const EXPIRED = "2026-02-01T00:00:00Z";

/** Links the member to their identity at the provider. */
export function addIdentity(world: World, issuer: string): void {
  const { ids, texts, unique } = world;
  world.put("identity", "user_identities", {
    ...{ user_id: ids.member, provider: PROVIDER, issuer, subject: `member-${unique}` },
    email: texts["member.email"],
  });
}

/** Adds sessions of the member of different ages. One more sign-in is possible without ending one of them. */
export function addOldSessions(world: World): void {
  for (let day = 1; day <= OLD_SESSIONS; day += 1) {
    const since = `2025-12-0${day}T00:00:00Z`;
    const session_id = world.name(`old session ${day}`, crypto.randomUUID());
    world.rows.put("refresh_tokens", {
      ...{ user_id: world.ids.member, session_id, organization_id: null },
      ...{ token_hash: tokenHash(crypto.randomUUID()), created_at: since, session_started_at: since },
    });
  }
}

/** Adds the records that the writes change concurrently: invitations, todos, tickets and tokens, and limits that are nearly reached. */
export function addResources(world: World, key: string): void {
  const { rows, ids, texts, unique } = world;
  const { org, founder, second, member, factor, unverified, child = "" } = ids;
  const at = { organization_id: org };
  const hashOf = (text: string) => ({ token_hash: tokenHash(`${text}-${unique}`) });
  const invitation = (
    text: string,
    email: string,
    by = founder,
    unit: string | null = null,
    expires = LATER,
  ) => {
    const sent = { ...at, email, expires_at: expires, invited_by_id: by, ...hashOf(text) };
    const invitation_id = world.put(text, "user_invitations", sent);
    const granted = { role_id: roleOf("MEMBER"), unit_id: unit };
    world.put(`${text}'s role`, "user_invitation_assignments", { invitation_id, ...granted });
  };
  invitation("invitation", texts["invited.email"] ?? "", founder, child);
  invitation("invitation of a stranger", `stranger-${unique}@example.com`, second);
  invitation("expired invitation", `expired-${unique}@example.com`, founder, null, EXPIRED);
  for (const number of [1, 2]) invitation(`invitation${number}`, `asked${number}-${unique}@example.com`);

  // Adds service accounts: one fewer than allowed. One of them has nine of ten keys. They were just used, so that
  // no request records a use.
  const used = { created_by_id: founder, last_used_at: new Date() };
  world.machine("machine", "ORG_ADMIN", used)("key", tokenHash(key));
  const addKey = world.machine("full machine", "MEMBER", used);
  for (let count = 1; count <= KEYS; count += 1) addKey(`key${count}`, tokenHash(crypto.randomUUID()));

  // Three of four webhook endpoints: one with a failed delivery, a disabled one, and one of a service account.
  const endpoint = (text: string, more: Record<string, unknown> = {}) => {
    const url = `https://${text.replaceAll(" ", "-")}.example.com/`;
    const enabled = { created_by_id: founder, disabled_reason: null, disabled_at: null };
    world.put(text, "webhook_endpoints", { ...at, url, secret: text, ...enabled, ...more });
  };
  endpoint("endpoint");
  endpoint("disabled endpoint", { is_enabled: false, disabled_reason: "MANUAL", disabled_at: EXPIRED });
  endpoint("machine's endpoint", { created_by_type: "service_account", created_by_id: ids.machine });
  const data = { object: { id: child, name: "child" } };
  const change = { type: "unit.created", object_id: child, data, reach_paths: [child] };
  const event_id = world.put("event", "events", { ...at, ...change, sequence: 1 });
  rows.put("event_sequences", { ...at, last_sequence: 1 });
  world.put("delivery", "webhook_deliveries", {
    ...{ ...at, endpoint_id: ids.endpoint, event_id, event_type: change.type, sequence: 1 },
    ...{ state: "FAILED", attempt_count: 10, failed_tries: 10 },
  });

  world.put("todo", "todos", { ...at, user_id: member, title: "todo" });
  for (let count = 2; count <= 8; count += 1)
    world.put(`todo${count}`, "todos", { ...at, user_id: founder, title: `todo${count}` });
  const reported = (text: string, status: string) =>
    world.put(text, "tickets", { ...at, subject: text, reporter_id: member, page_path: null, status });
  const said = { author_id: member, staff_scope: null, body: "message", internal: false };
  world.put("message", "ticket_messages", { ticket_id: reported("ticket", "OPEN"), ...said });
  reported("resolved", "RESOLVED");
  for (const name of ["notification", "notification2"]) world.put(name, "notifications", { user_id: member });
  world.put("verification", "email_verification_tokens", { user_id: unverified, ...hashOf("verification") });
  world.put("reset", "password_reset_tokens", { user_id: member, ...hashOf("reset") });
  for (const text of ["challenge", "challenge2"])
    world.put(text, "two_factor_challenges", { user_id: factor, ...hashOf(text) });
  // The second administrator is setting up the second factor, which is not enabled yet.
  for (const userId of [factor ?? "", second ?? ""])
    rows.put("two_factor_secrets", {
      ...{ user_id: userId, sealed_secret: twoFactor.encrypt({ userId, secret: SECRET }) },
    });
  for (const code of ["aaaa", "bbbb"])
    rows.put("two_factor_recovery_codes", { user_id: factor, code_hash: tokenHash(code) });
  for (let count = 1; count <= FOUNDED_TODAY; count += 1)
    world.organization(`founded${count}`, null, { founded_by_id: second, origin: "SELF_SERVICE" });
  // The invitation is by another organization, so that it does not count for the limit of any organization in the
  // race.
  const email = `often-${unique}@example.com`;
  for (let count = 1; count <= INVITED_TODAY; count += 1)
    world.put(`sent${count}`, "user_invitation_sends", {
      ...{ organization_id: ids.founded1, email, sent_at: new Date() },
    });
}

import { createCipher, tokenHash } from "../../../src/platform/crypto.ts";
import { environmentFor } from "../../support/environment.ts";
import type { Rows } from "../../support/rows.ts";
import { type Fixture, type Person, roleOf } from "./fixture.ts";
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

type Name = (text: string, id: string) => string;
/** Returns the subject that identifies a person at the identity provider. */
export const subjectOf = (who: string, unique: string) => `${who}-${unique}`;

/** Links a person to their identity at the provider. */
export function addIdentity(
  rows: Rows,
  name: Name,
  issuer: string,
  { id, email }: Person,
  unique: string,
): void {
  const subject = subjectOf("member", unique);
  name("identity", rows.put("user_identities", { user_id: id, provider: PROVIDER, issuer, subject, email }));
}

/** Adds sessions of different ages. One more sign-in is possible without ending one of them. */
export function addOldSessions(rows: Rows, name: Name, { id }: Person): void {
  for (let day = 1; day <= OLD_SESSIONS; day += 1) {
    const since = `2025-12-0${day}T00:00:00Z`;
    rows.put("refresh_tokens", {
      ...{ user_id: id, session_id: name(`old session ${day}`, crypto.randomUUID()), organization_id: null },
      ...{ token_hash: tokenHash(crypto.randomUUID()), created_at: since, session_started_at: since },
    });
  }
}

type Put = (text: string, ...row: Parameters<Rows["put"]>) => string;
type PutOrganization = (text: string, founder: string | null) => string;

/** Adds the records that the writes change concurrently: invitations, todos, tickets and tokens, and limits that are nearly reached. */
export function addResources(
  rows: Rows,
  put: Put,
  putOrganization: PutOrganization,
  { people, ids, unique, frequentlyInvited, key }: Fixture,
): void {
  const { founder, second, member, invited, factor, unverified } = people;
  const at = { organization_id: ids.org };
  const child = ids.child ?? "";
  const invitation = (text: string, email: string, by: Person, unitId: string | null, expires = LATER) => {
    const sent = {
      ...at,
      email,
      expires_at: expires,
      token_hash: tokenHash(`${text}-${unique}`),
      invited_by_id: by.id,
    };
    const id = put(text, "user_invitations", sent);
    put(`${text}'s role`, "user_invitation_assignments", {
      invitation_id: id,
      role_id: roleOf("MEMBER"),
      unit_id: unitId,
    });
  };
  invitation("invitation", invited.email, founder, child);
  invitation("invitation of a stranger", `stranger-${unique}@example.com`, second, null);
  invitation("expired invitation", `expired-${unique}@example.com`, founder, null, EXPIRED);
  for (const number of [1, 2])
    invitation(`invitation${number}`, `asked${number}-${unique}@example.com`, founder, null);

  // Adds service accounts: one fewer than allowed. One of them has nine of ten keys. They were just used, so that
  // no request records a use.
  const account = (text: string, role: string) => {
    const used = { ...at, created_by_id: founder.id, last_used_at: new Date() };
    put(text, "service_accounts", { ...used, name: text });
    put(`${text}'s role`, "service_account_assignments", {
      ...{ ...at, service_account_id: ids[text] },
      ...{ role_id: roleOf(role), unit_id: null },
    });
    return (name: string, clearKey: string) =>
      put(name, "api_keys", {
        ...used,
        service_account_id: ids[text],
        token_hash: tokenHash(clearKey),
      });
  };
  account("machine", "ORG_ADMIN")("key", key);
  const addKey = account("full machine", "MEMBER");
  for (let count = 1; count <= KEYS; count += 1) addKey(`key${count}`, crypto.randomUUID());

  // Three of four webhook endpoints: one with a failed delivery, a disabled one, and one of a service account.
  const endpoint = (text: string, more: Record<string, unknown> = {}) =>
    put(text, "webhook_endpoints", {
      ...{
        ...at,
        url: `https://${text.replaceAll(" ", "-")}.example.com/`,
        secret: text,
        created_by_id: founder.id,
      },
      ...{ disabled_reason: null, disabled_at: null, ...more },
    });
  endpoint("endpoint");
  endpoint("disabled endpoint", { is_enabled: false, disabled_reason: "MANUAL", disabled_at: EXPIRED });
  endpoint("machine's endpoint", { created_by_type: "service_account", created_by_id: ids.machine });
  const data = { object: { id: child, name: "child" } };
  const change = { type: "unit.created", object_id: child, data, reach_paths: [child] };
  const eventId = put("event", "events", { ...at, ...change, sequence: 1 });
  rows.put("event_sequences", { ...at, last_sequence: 1 });
  put("delivery", "webhook_deliveries", {
    ...{ ...at, endpoint_id: ids.endpoint, event_id: eventId, event_type: change.type, sequence: 1 },
    ...{ state: "FAILED", attempt_count: 10, failed_tries: 10 },
  });

  put("todo", "todos", { ...at, user_id: member.id, title: "todo" });
  for (let count = 2; count <= 8; count += 1)
    put(`todo${count}`, "todos", { ...at, user_id: founder.id, title: `todo${count}` });
  const reported = (text: string, status: string) =>
    put(text, "tickets", { ...at, subject: text, reporter_id: member.id, page_path: null, status });
  const ticket = reported("ticket", "OPEN");
  reported("resolved", "RESOLVED");
  put("message", "ticket_messages", {
    ticket_id: ticket,
    author_id: member.id,
    staff_scope: null,
    body: "message",
    internal: false,
  });
  put("notification", "notifications", { user_id: member.id });
  put("notification2", "notifications", { user_id: member.id });
  const link = (text: string, user: Person) => ({
    user_id: user.id,
    token_hash: tokenHash(`${text}-${unique}`),
  });
  put("verification", "email_verification_tokens", link("verification", unverified));
  put("reset", "password_reset_tokens", link("reset", member));
  for (const text of ["challenge", "challenge2"]) put(text, "two_factor_challenges", link(text, factor));
  // The second administrator is setting up the second factor, which is not enabled yet.
  for (const { id: userId } of [factor, second])
    rows.put("two_factor_secrets", {
      ...{ user_id: userId, sealed_secret: twoFactor.encrypt({ userId, secret: SECRET }) },
    });
  for (const code of ["aaaa", "bbbb"])
    rows.put("two_factor_recovery_codes", { user_id: factor.id, code_hash: tokenHash(code) });
  for (let count = 1; count <= FOUNDED_TODAY; count += 1) putOrganization(`founded${count}`, second.id);
  // The invitation is by another organization, so that it does not count for the limit of any organization in the
  // race.
  const earlierSend = { organization_id: ids.founded1, email: frequentlyInvited, sent_at: new Date() };
  for (let count = 1; count <= INVITED_TODAY; count += 1)
    put(`sent${count}`, "user_invitation_sends", earlierSend);
}

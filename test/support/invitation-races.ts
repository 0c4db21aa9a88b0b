import { expect } from "bun:test";
import type { ApiResponse } from "./caller.ts";
import { type HeldLock, holdOrganizationLock } from "./locks.ts";
import { outcome } from "./outcomes.ts";
import type { Service } from "./service.ts";

/** Sends a request to the process with this URL. */
export type Call = (url: string) => Promise<ApiResponse>;

/** Sends two calls concurrently to different processes; returns both outcomes. */
export async function sendAtOnce(urls: string[], round: number, first: Call, second: Call): Promise<string> {
  const [one = "", two = ""] = round % 2 === 0 ? urls : urls.toReversed();
  const calls = round % 4 > 1 ? [second(two), first(one)].toReversed() : [first(one), second(two)];
  return (await Promise.all(calls)).map(outcome).join(", ");
}

/** Sends calls that wait for an organization's lock and get it in this order; returns their outcomes. */
export const sendInOrder = async (t: Service, org: { id: string }, urls: string[], calls: Call[]) =>
  sendBehind(await holdOrganizationLock(t, org.id), urls, calls);

/** Sends calls that wait for a held lock and get it in this order; returns their outcomes. */
async function sendBehind(lock: HeldLock, urls: string[], calls: Call[]) {
  const answers: Promise<ApiResponse>[] = [];
  try {
    for (const [index, call] of calls.entries()) {
      answers.push(call(urls[index % urls.length] ?? ""));
      await lock.waiting(index + 1);
    }
  } finally {
    await lock.release();
  }
  return (await Promise.all(answers)).map(outcome);
}

/** Invariants that hold for every order of calls: each query returns the rows that violate one. */
export const INVARIANT_VIOLATIONS = {
  "two pending invitations of an address": `SELECT FROM user_invitations WHERE accepted_at IS NULL AND NOT is_deleted
    GROUP BY organization_id, email HAVING count(*) > 1`,
  "two accounts of an address": "SELECT FROM users GROUP BY lower(email) HAVING count(*) > 1",
  "two memberships of one person":
    "SELECT FROM memberships GROUP BY organization_id, user_id HAVING count(*) > 1",
  "members without a role": `SELECT FROM memberships m WHERE NOT m.is_deleted AND NOT EXISTS (
    SELECT FROM membership_assignments a WHERE a.membership_id = m.id)`,
  "members whose account is deleted": `SELECT FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE u.is_deleted AND NOT m.is_deleted`,
  "roles of members in a deleted unit": `SELECT FROM membership_assignments a JOIN units u ON u.id = a.unit_id
    WHERE u.is_deleted`,
  "invitations that are accepted and revoked": `SELECT FROM user_invitations
    WHERE accepted_at IS NOT NULL AND is_deleted`,
  "invitations that somebody else accepted": `SELECT FROM user_invitations i LEFT JOIN users u ON u.id = i.accepted_user_id
    WHERE i.accepted_at IS NOT NULL AND u.email IS DISTINCT FROM i.email`,
  "pending invitations that work and name what is deleted": `SELECT FROM pending_invitations i
    JOIN user_invitation_assignments a ON a.invitation_id = i.id
    JOIN roles r ON r.id = a.role_id LEFT JOIN units u ON u.id = a.unit_id
    WHERE i.is_valid AND (r.is_deleted OR u.is_deleted)`,
  "invitations without exactly one event": `SELECT FROM user_invitations i
    LEFT JOIN audit_events e ON e.target_id = i.id AND e.action = 'USER_INVITED'
    GROUP BY i.id HAVING count(e.id) <> 1`,
  "invitations whose acceptance has not exactly one event": `SELECT FROM user_invitations i
    LEFT JOIN (SELECT (metadata ->> 'invitationId')::uuid AS id FROM audit_events
      WHERE action = 'USER_INVITATION_ACCEPTED') e ON e.id = i.id
    GROUP BY i.id HAVING count(e.id) <> (i.accepted_at IS NOT NULL)::int`,
  "invitations whose end has not exactly one event": `SELECT FROM user_invitations i
    LEFT JOIN (SELECT target_id AS id FROM audit_events WHERE action = 'USER_INVITATION_REVOKED'
      UNION ALL
      SELECT (metadata ->> 'supersededId')::uuid FROM audit_events WHERE action = 'USER_INVITED') e ON e.id = i.id
    GROUP BY i.id HAVING count(e.id) <> i.is_deleted::int`,
};

/** Counts each effect of invitations. */
const COUNTS = `SELECT
  (SELECT count(*) FROM audit_events WHERE action IN ('USER_INVITED', 'USER_INVITATION_RESENT'))::int AS sent,
  (SELECT count(*) FROM pgboss.job WHERE data ->> 'label' = 'invitation')::int AS mails,
  (SELECT count(*) FROM user_invitation_sends)::int AS sends,
  (SELECT count(*) FROM audit_events WHERE action = 'USER_INVITATION_ACCEPTED')::int AS accepted,
  (SELECT count(*) FROM notifications WHERE type = 'INVITATION_ACCEPTED')::int AS notified`;

/**
 * Ends a round: checks the invariants in all tables, and that every sent invitation has one event and one mail. Then
 * backdates sent mails by a day, because the 21st mail of a day to one address would wait (rules 23.7).
 */
export async function endRound(t: Service): Promise<void> {
  for (const [what, query] of Object.entries(INVARIANT_VIOLATIONS))
    expect([what, (await t.sql(query)).length]).toEqual([what, 0]);
  const [counts] = await t.sql<Record<string, number>>(COUNTS);
  expect([counts?.mails, counts?.sends, counts?.notified]).toEqual([
    counts?.sent,
    counts?.sent,
    counts?.accepted,
  ]);
  await t.sql(
    `UPDATE user_invitation_sends SET sent_at = sent_at - interval '1 day', mail_at = mail_at - interval '1 day'
     WHERE sent_at > now() - interval '1 day'`,
  );
}

type Race = {
  org: { id: string };
  /** Takes the lock that decides the order; by default the organization's. */
  hold?: () => Promise<HeldLock>;
  first: Call;
  second: Call;
  after?: () => Promise<unknown>;
};

/**
 * Runs a race `rounds` times: each round once unordered, and once with an order that a lock enforces, with either
 * call first.
 * @param wins the outcomes of both calls, if `first` is first and if `second` is
 */
export async function runRace(
  t: Service,
  urls: string[],
  rounds: number,
  wins: { first: string; second: string },
  prepare: (name: string) => Promise<Race>,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const free = await prepare(`free ${round}`);
    const outcomes = await sendAtOnce(urls, round, free.first, free.second);
    expect([wins.first, wins.second]).toContain(outcomes);
    await endRound(t);
    await free.after?.();

    const ordered = await prepare(`in turn ${round}`);
    const isFirst = round % 2 === 0;
    const calls = [ordered.first, ordered.second];
    const lock = await (ordered.hold ?? (() => holdOrganizationLock(t, ordered.org.id)))();
    const inOrder = await sendBehind(lock, urls, isFirst ? calls : calls.toReversed());
    expect((isFirst ? inOrder : inOrder.toReversed()).join(", ")).toBe(isFirst ? wins.first : wins.second);
    await endRound(t);
    await ordered.after?.();
  }
}

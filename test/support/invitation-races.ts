import { expect, test } from "bun:test";
import type { ApiResponse } from "./caller.ts";
import { type AcquiredLock, holdOrganizationLock, inLine } from "./locks.ts";
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
  inOrder(await holdOrganizationLock(t, org.id), urls, calls);

/** Sends calls that wait for a held lock and get it in this order; returns their outcomes. */
const inOrder = async (lock: AcquiredLock, urls: string[], calls: Call[]) =>
  (await inLine(lock, ...calls.map((call, index) => () => call(urls[index % urls.length] ?? "")))).map(
    outcome,
  );

/**
 * Invariants that hold for every order of calls: each query returns the rows that violate one.
 * @param within a condition on the organization of the table with this alias
 */
const violations = (within: (alias: string) => string): Record<string, string> => ({
  "two pending invitations of an address": `SELECT FROM user_invitations i
    WHERE i.accepted_at IS NULL AND NOT i.is_deleted AND ${within("i")}
    GROUP BY i.organization_id, i.email HAVING count(*) > 1`,
  "two memberships of one person": `SELECT FROM memberships m WHERE ${within("m")}
    GROUP BY m.organization_id, m.user_id HAVING count(*) > 1`,
  "members without a role": `SELECT FROM memberships m WHERE NOT m.is_deleted AND ${within("m")} AND NOT EXISTS (
    SELECT FROM membership_assignments a WHERE a.membership_id = m.id)`,
  "members whose account is deleted": `SELECT FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE u.is_deleted AND NOT m.is_deleted AND ${within("m")}`,
  "roles of members in a deleted unit": `SELECT FROM membership_assignments a JOIN units u ON u.id = a.unit_id
    WHERE u.is_deleted AND ${within("u")}`,
  "invitations that are accepted and revoked": `SELECT FROM user_invitations i
    WHERE i.accepted_at IS NOT NULL AND i.is_deleted AND ${within("i")}`,
  "invitations that somebody else accepted": `SELECT FROM user_invitations i LEFT JOIN users u ON u.id = i.accepted_user_id
    WHERE i.accepted_at IS NOT NULL AND u.email IS DISTINCT FROM i.email AND ${within("i")}`,
  "pending invitations that work and name what is deleted": `SELECT FROM pending_invitations i
    JOIN user_invitation_assignments a ON a.invitation_id = i.id
    JOIN roles r ON r.id = a.role_id LEFT JOIN units u ON u.id = a.unit_id
    WHERE i.is_valid AND (r.is_deleted OR u.is_deleted) AND ${within("i")}`,
  "invitations without exactly one event": `SELECT FROM user_invitations i
    LEFT JOIN audit_events e ON e.target_id = i.id AND e.action = 'USER_INVITED'
    WHERE ${within("i")} GROUP BY i.id HAVING count(e.id) <> 1`,
  "invitations whose acceptance has not exactly one event": `SELECT FROM user_invitations i
    LEFT JOIN (SELECT (metadata ->> 'invitationId')::uuid AS id FROM audit_events
      WHERE action = 'USER_INVITATION_ACCEPTED') e ON e.id = i.id
    WHERE ${within("i")} GROUP BY i.id, i.accepted_at HAVING count(e.id) <> (i.accepted_at IS NOT NULL)::int`,
  "invitations whose end has not exactly one event": `SELECT FROM user_invitations i
    LEFT JOIN (SELECT target_id AS id FROM audit_events WHERE action = 'USER_INVITATION_REVOKED'
      UNION ALL
      SELECT (metadata ->> 'supersededId')::uuid FROM audit_events WHERE action = 'USER_INVITED') e ON e.id = i.id
    WHERE ${within("i")} GROUP BY i.id, i.is_deleted HAVING count(e.id) <> i.is_deleted::int`,
  "invitations that were sent without one record each, or acceptances without one notification each": `SELECT FROM organizations o
    WHERE ${within("o").replace("organization_id", "id")} AND (
      (SELECT count(*) FROM audit_events e WHERE e.organization_id = o.id AND e.action IN ('USER_INVITED', 'USER_INVITATION_RESENT'))
        <> (SELECT count(*) FROM user_invitation_sends s WHERE s.organization_id = o.id)
      OR (SELECT count(*) FROM audit_events e WHERE e.organization_id = o.id AND e.action = 'USER_INVITATION_ACCEPTED')
        <> (SELECT count(*) FROM notifications n WHERE n.type = 'INVITATION_ACCEPTED' AND n.data ->> 'organizationId' = o.id::text))`,
});

/** The invariants of all organizations, and those of accounts. */
export const INVARIANT_VIOLATIONS = {
  ...violations(() => "true"),
  "two accounts of an address": "SELECT FROM users GROUP BY lower(email) HAVING count(*) > 1",
};

/** Returns the names of violated invariants, in one statement. */
async function violated(t: Service, queries: Record<string, string>): Promise<string[]> {
  const parts = Object.entries(queries).map(
    ([name, query]) => `SELECT '${name}' AS name WHERE EXISTS (${query})`,
  );
  return (await t.sql<{ name: string }>(parts.join(" UNION ALL "))).map(({ name }) => name);
}

/**
 * Ends a round: checks the invariants of these organizations. Then backdates sent mails by a day, because the 21st mail
 * of a day to one address would wait (rules 23.7).
 */
export async function endRound(t: Service, ...organizations: { id: string }[]): Promise<void> {
  const ids = organizations.map(({ id }) => `'${id}'`).join();
  expect(
    await violated(
      t,
      violations((alias) => `${alias}.organization_id IN (${ids})`),
    ),
  ).toEqual([]);
  await t.sql(
    `UPDATE user_invitation_sends SET sent_at = sent_at - interval '1 day', mail_at = mail_at - interval '1 day'
     WHERE sent_at > now() - interval '1 day'`,
  );
}

const EFFECTS = `SELECT
  (SELECT count(*) FROM audit_events WHERE action IN ('USER_INVITED', 'USER_INVITATION_RESENT'))::int AS sent,
  (SELECT count(*) FROM pgboss.job WHERE data ->> 'label' = 'invitation')::int AS mails`;

/** Declares, as the last test of a file, that the invariants hold in all tables and each invitation sent has one mail. */
export const testInvariants = (t: Service) =>
  test("after all races the invariants hold in all tables, and every sent invitation has one mail", async () => {
    expect(await violated(t, INVARIANT_VIOLATIONS)).toEqual([]);
    const [counts] = await t.sql<{ sent: number; mails: number }>(EFFECTS);
    expect(counts?.mails).toBe(counts?.sent as number);
  });

type Race = {
  org: { id: string };
  /** Takes the lock that decides the order; by default the organization's. */
  hold?: () => Promise<AcquiredLock>;
  first: Call;
  second: Call;
  after?: () => Promise<unknown>;
};

/**
 * Runs a race `rounds` times freely, and then once in either order, which a lock enforces.
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
    const { org, first, second, after } = await prepare(`free ${round}`);
    expect([wins.first, wins.second]).toContain(await sendAtOnce(urls, round, first, second));
    await endRound(t, org);
    await after?.();
  }
  for (const winner of ["first", "second"] as const) {
    const { org, first, second, after, hold = () => holdOrganizationLock(t, org.id) } = await prepare(winner);
    const outcomes = await inOrder(
      await hold(),
      urls,
      winner === "first" ? [first, second] : [second, first],
    );
    expect((winner === "first" ? outcomes : outcomes.toReversed()).join(", ")).toBe(wins[winner]);
    await endRound(t, org);
    await after?.();
  }
}

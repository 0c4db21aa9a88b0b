import { claimsOf } from "./claims.ts";
import { type Check, finding } from "./exchange.ts";
import { byId } from "./operations.ts";

/*
 * Checks the recipients of notifications: only people who may read the subject are notified (rules 17.5). A
 * ticket's subject may be read by its reporter and its staff, an organization by its members. No one is notified of
 * their own action.
 */

/**
 * Whether a recipient may read the ticket as staff of its organization, by a role for all units or in a unit above
 * the reporter.
 */
const READS_TICKET = `EXISTS (
  SELECT FROM memberships m
  JOIN membership_assignments a ON a.membership_id = m.id
  JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted AND 'Helpdesk.Read' = ANY (r.permissions)
  WHERE m.user_id = n.user_id AND m.organization_id = t.organization_id AND NOT m.is_deleted
    AND (a.unit_id IS NULL OR a.unit_id IN (
      WITH RECURSIVE above AS (
        SELECT mu.unit_id AS id FROM membership_units mu
        WHERE mu.user_id = t.reporter_id AND mu.organization_id = t.organization_id AND NOT mu.is_deleted
        UNION SELECT u.parent_id FROM units u JOIN above ON above.id = u.id WHERE u.parent_id IS NOT NULL)
      SELECT id FROM above)))`;
const IS_MEMBER = `EXISTS (SELECT FROM memberships m
  WHERE m.user_id = n.user_id AND m.organization_id::text = n.data ->> 'organizationId' AND NOT m.is_deleted)`;
const UNAUTHORIZED = `
  SELECT n.user_id, n.type, n.data FROM notifications n
  JOIN users u ON u.id = n.user_id
  LEFT JOIN tickets t ON t.id::text = n.data ->> 'ticketId'
  WHERE n.created_at >= $1 AND (
    u.is_deleted AND n.type <> 'TEST'
    OR n.type LIKE 'HELPDESK%' AND n.user_id = $2
    OR n.type IN ('HELPDESK_STAFF_REPLIED', 'HELPDESK_STATUS_CHANGED') AND n.user_id <> t.reporter_id
    OR n.type IN ('HELPDESK_TICKET_CREATED', 'HELPDESK_REPORTER_REPLIED')
      AND NOT CASE WHEN n.data ? 'organizationId' THEN ${READS_TICKET} ELSE u.is_platform_admin END
    OR n.type NOT LIKE 'HELPDESK%' AND n.data ? 'organizationId' AND NOT ${IS_MEMBER})
  LIMIT 1`;

/** Finds a notification by a successful request whose recipient may not read its subject. */
export const checkRecipients: Check = async (exchange) => {
  const { plan, request, response, t, since } = exchange;
  if (response.status >= 300 || byId.get(plan.operation)?.method === "GET") return null;
  const sender = request.token === null ? null : claimsOf(request.token).sub;
  const [notification] = await t.sql(UNAUTHORIZED, [since, sender]);
  if (notification === undefined) return null;
  return finding(
    "recipient",
    exchange,
    `notified somebody who may not read it: ${JSON.stringify(notification)}`,
  );
};

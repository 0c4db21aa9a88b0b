import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError, type Endpoint } from "../../client/index.ts";
import { type Live, useClient, useNotifications } from "../../client/react.ts";
import { observeFailures } from "../lib/action.ts";
import { invalidate } from "../lib/invalidate.ts";
import type { Notification } from "./notification-text.ts";

const TICKETS = [
  "GET /api/support/tickets",
  "GET /api/support/tickets/{id}",
  "GET /api/organization/helpdesk/tickets",
  "GET /api/organization/helpdesk/tickets/{id}",
  "GET /api/helpdesk/tickets",
  "GET /api/helpdesk/tickets/{id}",
] as const;
const FACTOR = ["GET /api/profile/2fa", "GET /api/profile"] as const;

/** The endpoints whose cached data is stale after a notification of each type. */
const STALE: Partial<Record<Notification["type"], readonly Endpoint[]>> = {
  PASSWORD_CHANGED: ["GET /api/profile/sessions"],
  TWO_FACTOR_ENABLED: FACTOR,
  TWO_FACTOR_DISABLED: FACTOR,
  TWO_FACTOR_RECOVERY_CODE_USED: FACTOR,
  SIGN_IN_METHOD_ADDED: ["GET /api/profile/identities"],
  SIGN_IN_METHOD_REMOVED: ["GET /api/profile/identities"],
  JOIN_REQUESTED: ["GET /api/members/join-requests"],
  INVITATION_ACCEPTED: ["GET /api/members", "GET /api/members/invitations", "GET /api/organization/billing"],
  HELPDESK_TICKET_CREATED: TICKETS,
  HELPDESK_REPORTER_REPLIED: TICKETS,
  HELPDESK_STAFF_REPLIED: TICKETS,
  HELPDESK_STATUS_CHANGED: TICKETS,
};
/** How many of the newest notifications are loaded to find one that the stream announced. */
const NEWEST = 5;

/**
 * Subscribes to the notification stream, and returns unread count, connection status and newest notification.
 * Refetches the queries that a notification makes stale, and all queries after an interruption.
 */
export function useLive(): Live & { newest: Notification | null; forget: () => void } {
  const client = useClient();
  const queries = useQueryClient();
  const [newest, setNewest] = useState<Notification | null>(null);
  const live = useNotifications((id) => {
    void follow(id).catch(() => {
      // An error is ignored: the list will show the notification as soon as it can be loaded.
    });
  });

  async function follow(id: string) {
    const { data } = await client.request("GET /api/notifications", { query: { pageSize: NEWEST } });
    const found = data.find((notification) => notification.id === id);
    if (found === undefined) return;
    setNewest(found);
    // A new password ends the other sessions. A refresh signs this browser out if it has one of them.
    if (found.type === "PASSWORD_CHANGED") await client.refresh();
    if (found.type !== "ROLES_CHANGED" && found.type !== "JOIN_APPROVED")
      return invalidate(queries, STALE[found.type]);
    // Changed permissions change what every list contains, so all queries are refetched. A new member has none before.
    await client.refresh();
    await queries.invalidateQueries();
  }

  const isBehind = useRef(false);
  useEffect(() => {
    if (live.status === "down") isBehind.current = true;
    if (live.status !== "open" || !isBehind.current) return;
    isBehind.current = false;
    // The stream does not repeat events of an interruption (rules 17.9), so all queries are refetched.
    void queries.invalidateQueries();
  }, [live.status, queries]);
  return { ...live, newest, forget: () => setNewest(null) };
}

/**
 * The error codes that mean outdated permissions in the access token. The API checks writes against the database,
 * while the menu shows the token's permissions (rules 6.10).
 */
const OUTDATED = new Set(["FORBIDDEN", "NOT_A_MEMBER", "PERMISSION_NOT_HELD", "UNIT_FORBIDDEN"]);

/**
 * Refreshes the access token after the API rejected a write because of changed permissions, so that menu and pages
 * are up to date.
 */
export function useRefreshAfterRefusals(): void {
  const client = useClient();
  const queries = useQueryClient();
  useEffect(
    () =>
      observeFailures((error) => {
        if (!(error instanceof ApiError)) return;
        if (OUTDATED.has(error.code)) void client.refresh().catch(() => {});
        if (error.code === "ORGANIZATION_SUSPENDED")
          void invalidate(queries, ["GET /api/auth/organizations"]);
      }),
    [client, queries],
  );
}

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Endpoint } from "../../client/index.ts";
import { type Live, useClient, useNotifications } from "../../client/react.ts";
import { invalidate } from "../lib/action.ts";
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

/** What a new notification says to be stale. */
const STALE: Partial<Record<Notification["type"], readonly Endpoint[]>> = {
  PASSWORD_CHANGED: ["GET /api/profile/sessions"],
  TWO_FACTOR_ENABLED: FACTOR,
  TWO_FACTOR_DISABLED: FACTOR,
  TWO_FACTOR_RECOVERY_CODE_USED: FACTOR,
  SIGN_IN_METHOD_ADDED: ["GET /api/profile/identities"],
  SIGN_IN_METHOD_REMOVED: ["GET /api/profile/identities"],
  INVITATION_ACCEPTED: ["GET /api/members", "GET /api/members/invitations", "GET /api/organization/billing"],
  HELPDESK_TICKET_CREATED: TICKETS,
  HELPDESK_REPORTER_REPLIED: TICKETS,
  HELPDESK_STAFF_REPLIED: TICKETS,
  HELPDESK_STATUS_CHANGED: TICKETS,
};
/** Among so many of the newest is the one that the stream names by its id. */
const NEWEST = 5;

/**
 * Follows the stream: the unread count, its status, and the newest notification; loads again what that says to be stale,
 * and everything after an interruption.
 */
export function useLive(): Live & { newest: Notification | null; forget: () => void } {
  const client = useClient();
  const queries = useQueryClient();
  const [newest, setNewest] = useState<Notification | null>(null);
  const live = useNotifications((id) => {
    void follow(id).catch(() => {
      // The list shows it, as soon as it can be loaded.
    });
  });

  async function follow(id: string) {
    const { data } = await client.request("GET /api/notifications", { query: { pageSize: NEWEST } });
    const found = data.find((notification) => notification.id === id);
    if (found === undefined) return;
    setNewest(found);
    if (found.type !== "ROLES_CHANGED") return invalidate(queries, STALE[found.type]);
    // The token says what one may see, and every list has only that.
    await client.refresh();
    await queries.invalidateQueries();
  }

  const isBehind = useRef(false);
  useEffect(() => {
    if (live.status === "down") isBehind.current = true;
    if (live.status !== "open" || !isBehind.current) return;
    isBehind.current = false;
    // What happened meanwhile is not told again (rules 17.9).
    void queries.invalidateQueries();
  }, [live.status, queries]);
  return { ...live, newest, forget: () => setNewest(null) };
}

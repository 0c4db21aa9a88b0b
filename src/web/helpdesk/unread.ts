import { useDocumentVisibility } from "@mantine/hooks";
import { useEffect } from "react";
import { useApiQuery, useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";

/** The number of newest unread notifications that are looked at. */
const LOOKED_AT = 100;
const NOTIFICATIONS = ["GET /api/notifications"] as const;

export function useUnread(): ReadonlyMap<string, readonly string[]> {
  const { data } = useApiQuery("GET /api/notifications", { query: { unread: true, pageSize: LOOKED_AT } });
  const unread = new Map<string, string[]>();
  for (const { id, data: about } of data?.data ?? [])
    if ("ticketId" in about) unread.set(about.ticketId, [...(unread.get(about.ticketId) ?? []), id]);
  return unread;
}

export function useMarkAsRead(ticketId: string): void {
  const client = useClient();
  const visibility = useDocumentVisibility();
  const ids = useUnread().get(ticketId)?.join(" ") ?? "";
  // An error is ignored: the notifications stay unread, and opening the ticket again marks them.
  const { run } = useAction<readonly string[]>({
    run: (all) =>
      Promise.all(all.map((id) => client.request("POST /api/notifications/{id}/read", { path: { id } }))),
    invalidates: NOTIFICATIONS,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each set of notifications
  useEffect(() => {
    if (ids !== "" && visibility === "visible") run(ids.split(" "));
  }, [ids, visibility]);
}

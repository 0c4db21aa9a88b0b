import type { Service } from "./service.ts";

export type Event = {
  action: string;
  actor_id: string | null;
  target_type: string | null;
  organization_id: string | null;
  metadata: Record<string, unknown>;
};

/** Lists the audit events with a target, oldest first. */
export const eventsAbout = (t: Service, targetId: string) =>
  t.sql<Event>(
    `SELECT action, actor_id, target_type, organization_id, metadata
     FROM audit_events WHERE target_id = $1 ORDER BY id`,
    [targetId],
  );

/** Lists the audit events with a target and an action, oldest first. */
export const eventsOf = async (t: Service, action: string, targetId: string) =>
  (await eventsAbout(t, targetId)).filter((event) => event.action === action);

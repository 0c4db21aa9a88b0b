import type { AuditEvent } from "./audit.ts";
import type { Service } from "./service.ts";

/*
 * A model of which members may read which events of an organization's audit log (rules 16.8 to 16.16). It computes
 * with sets of stored rows, and uses no code of the service.
 */

type Unit = { id: string; parent_id: string | null; is_deleted: boolean };
type Link = { unit_id: string; user_id: string; is_deleted: boolean; created_at: Date };
type Entry = { unitId?: string | null; roleName?: string };
export type VisibleEvent = Pick<
  AuditEvent,
  "id" | "action" | "actorId" | "targetType" | "targetId" | "metadata"
>;
export type Filters = { unit?: string[]; member?: string[]; actorId?: string; search?: string };
/** An event and the values that a search matches. */
type Stored = VisibleEvent & { searched: string; time: Date };
/** A reader of all events (`null`), or of those in these units and their sub-units. */
export type Viewer = { userId: string; roots: string[] | null };

export class AuditOracle {
  private constructor(
    private readonly events: Stored[],
    private readonly units: Unit[],
    private readonly links: Link[],
    private readonly invitations: Map<string, (string | null)[]>,
    /** When former members became members again, by user id; without those linked to a unit since. */
    private readonly returns: Map<string, Date>,
  ) {}

  static async of(t: Service, organizationId: string): Promise<AuditOracle> {
    const rows = <Row>(text: string) => t.sql<Row>(text, [organizationId]);
    const named = await rows<{ id: string; unit_id: string | null }>(
      `SELECT i.id, a.unit_id FROM user_invitations i JOIN user_invitation_assignments a ON a.invitation_id = i.id
       WHERE i.organization_id = $1`,
    );
    const byInvitation = Map.groupBy(named, ({ id }) => id);
    return new AuditOracle(
      await rows<Stored>(
        `SELECT e.id, action, actor_id AS "actorId", target_type AS "targetType", target_id AS "targetId", metadata, time,
           lower(concat_ws(E'\n', action, ip, request_id, actor.email)) AS searched
         FROM audit_events e LEFT JOIN users actor ON actor.id = e.actor_id
         WHERE organization_id = $1 ORDER BY time DESC, e.id DESC`,
      ),
      await rows<Unit>("SELECT id, parent_id, is_deleted FROM units WHERE organization_id = $1"),
      await rows<Link>(
        "SELECT unit_id, user_id, is_deleted, created_at FROM membership_units WHERE organization_id = $1",
      ),
      new Map([...byInvitation].map(([id, all]) => [id, all.map(({ unit_id }) => unit_id)])),
      new Map(
        (
          await rows<{ user_id: string; reached_from: Date }>(
            "SELECT user_id, reached_from FROM memberships WHERE organization_id = $1 AND reached_from IS NOT NULL",
          )
        ).map(({ user_id, reached_from }) => [user_id, reached_from]),
      ),
    );
  }

  /** Returns the events that a reader may see with these filters, newest first. */
  read({ userId, roots }: Viewer, { unit, member, actorId: one, search }: Filters = {}): VisibleEvent[] {
    const filtered = unit && this.livePeople(this.subtree(unit, false), roots && this.subtree(roots, false));
    const kept = this.events.filter(
      ({ actorId, searched }) =>
        (one === undefined || actorId === one) &&
        (search === undefined || searched.includes(search.toLowerCase())) &&
        (filtered === undefined || (actorId !== null && filtered.has(actorId))) &&
        (member === undefined || (actorId !== null && member.includes(actorId))),
    );
    if (roots === null) return kept.map(visiblePart);
    const tree = this.subtree(roots, true);
    const people = new Set(this.links.flatMap((link) => (tree.has(link.unit_id) ? link.user_id : [])));
    return kept
      .filter(
        (event) =>
          event.actorId === userId ||
          (event.actorId !== null &&
            people.has(event.actorId) &&
            this.isBelow(event, tree, people) &&
            !this.isFromAbove(event, tree)),
      )
      .map((event) => ({ ...visiblePart(event), metadata: this.trimmed(event, tree) }));
  }

  /** Returns the users who are linked to a unit in both sets. */
  private livePeople(units: Set<string>, reach: Set<string> | null): Set<string> {
    const both = reach === null ? units : units.intersection(reach);
    return new Set(
      this.links.flatMap((link) => (both.has(link.unit_id) && !link.is_deleted ? link.user_id : [])),
    );
  }

  private subtree(roots: string[], withDeleted: boolean): Set<string> {
    const counts = this.units.filter((unit) => withDeleted || !unit.is_deleted);
    const tree = new Set(counts.flatMap(({ id }) => (roots.includes(id) ? id : [])));
    for (let before = -1; before < tree.size; ) {
      before = tree.size;
      for (const { id, parent_id } of counts) if (parent_id !== null && tree.has(parent_id)) tree.add(id);
    }
    return tree;
  }

  private isBelow({ targetType, targetId }: VisibleEvent, tree: Set<string>, people: Set<string>): boolean {
    if (targetId === null) return true;
    switch (targetType) {
      case "user":
        return people.has(targetId);
      case "unit":
        return tree.has(targetId);
      case "invitation":
        return this.isInvitationWithin(targetId, tree);
      case "role":
      case "organization":
        return false;
      default:
        return true;
    }
  }

  /** Whether a user caused the event before becoming a member again, and without a link to the tree at that time. */
  private isFromAbove({ actorId, time }: Stored, tree: Set<string>): boolean {
    const since = this.returns.get(actorId ?? "");
    if (since === undefined || time >= since) return false;
    return !this.links.some(
      (link) => link.user_id === actorId && tree.has(link.unit_id) && link.created_at <= time,
    );
  }

  private isInvitationWithin(id: string, tree: Set<string>): boolean {
    return (this.invitations.get(id) ?? [null]).every((unit) => unit !== null && tree.has(unit));
  }

  private trimmed({ action, metadata }: VisibleEvent, tree: Set<string>): Record<string, unknown> {
    const trimmed = { ...metadata };
    const keep = (key: string) => {
      const kept = (trimmed[key] as Entry[]).filter(({ unitId }) => unitId != null && tree.has(unitId));
      trimmed[key] = kept;
      return kept;
    };
    if (action === "MEMBER_ROLES_CHANGED" || action === "MEMBER_UNITS_CHANGED")
      for (const key of ["added", "removed"]) keep(key);
    if (action === "MEMBER_REMOVED" || action === "MEMBER_LEFT") keep("roles");
    if (action === "USER_INVITED" || action === "USER_INVITATION_ACCEPTED")
      trimmed.roles = [...new Set(keep("assignments").map(({ roleName }) => roleName))];
    for (const key of ["invitationId", "supersededId"]) {
      const id = trimmed[key];
      if (typeof id === "string" && !this.isInvitationWithin(id, tree)) delete trimmed[key];
    }
    return trimmed;
  }
}

/** Returns the fields of an event that are compared together. */
export const visiblePart = ({
  id,
  action,
  actorId,
  targetType,
  targetId,
  metadata,
}: VisibleEvent): VisibleEvent => ({
  id,
  action,
  actorId,
  targetType,
  targetId,
  metadata,
});

import type { Row } from "./pages.ts";

/*
 * What the filters of lists promise of each row, judged by the row alone.
 */

/** Whether a row matches a filter; null if the row does not say, like a ticket whose reporter's account was deleted. */
type Predicate = (row: Row, values: string[]) => boolean | null;

const lowered = (ids: string[]) => ids.map((id) => id.toLowerCase());
const within = (row: Row, key: string, values: string[]) => values.includes(String(row[key]));
const idIn = (one: unknown): unknown => (one as { id?: unknown } | null)?.id;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The person of a row: the actor of an event, the reporter of a ticket (null if deleted), a member themselves. */
const personOf = (row: Row): unknown =>
  "actorId" in row ? row.actorId : "reporter" in row ? idIn(row.reporter) : (row.userId ?? row.id);

/** Filters that show every row that matches, and no other. */
export const EXACT: Record<string, Predicate> = {
  completed: (row, values) => within(row, "completed", values),
  unread: (row, [value]) => value !== "true" || row.readAt === null,
  action: (row, values) => within(row, "action", values),
  actorId: (row, values) => within(row, "actorId", lowered(values)),
  targetType: (row, values) => within(row, "targetType", values),
  targetId: (row, values) => within(row, "targetId", lowered(values)),
  status: (row, values) => within(row, "status", values),
  category: (row, values) => within(row, "category", values),
  member: (row, values) => (row.reporter === null ? null : lowered(values).includes(String(personOf(row)))),
  from: (row, [value = ""]) => new Date(String(row.time)).getTime() >= Math.floor(new Date(value).getTime()),
  to: (row, [value = ""]) =>
    new Date(String(row.time)).getTime() <
    new Date(value).getTime() + (DAY.test(value) ? 24 * 3600 * 1000 : 1),
};

/** Filters whose rows match them, although some rows that match are left out. */
export const NECESSARY: Record<string, Predicate> = {
  organization: (row, values) => {
    const { organizationId, organizations, slug, id } = row as Row & { organizations?: { id: string }[] };
    const its = organizations?.map((one) => one.id) ?? [slug === undefined ? organizationId : id];
    return its.some((one) => lowered(values).includes(String(one)));
  },
  search: (row, [value = ""]) => holds(row, value.trim().toLowerCase()),
};

/** Whether a row has a plain word in any field. Words that are folded in other ways than case are not judged. */
function holds(row: Row, word: string): boolean {
  const text = JSON.stringify(row).toLowerCase();
  if (!/^[a-z0-9#@._-]+$/.test(word) || !/^[\x20-\x7e]*$/.test(text)) return true;
  return (
    text.includes(word) || (word.startsWith("#") && String(row.number) === String(Number(word.slice(1))))
  );
}

/** Filters that a row alone cannot be judged by. */
const OTHERS = ["unit"];
const FILTERS = new Set([...Object.keys(EXACT), ...Object.keys(NECESSARY), ...OTHERS]);
export const isFilter = (name: string): boolean => FILTERS.has(name);

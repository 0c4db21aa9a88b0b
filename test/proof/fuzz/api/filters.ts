import type { Row } from "./pages.ts";

/*
 * What the filters of lists promise of each row, told by the row alone. Of these whoever satisfies all of them is shown.
 */

type Predicate = (row: Row, values: string[]) => boolean;

const lowered = (ids: string[]) => ids.map((id) => id.toLowerCase());
const within = (row: Row, key: string, values: string[]) => values.includes(String(row[key]));
const idIn = (one: unknown): unknown => (one as { id?: unknown } | null)?.id;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whose a row is: an event its actor's, a ticket its reporter's, a member themselves. */
const personOf = (row: Row): unknown =>
  "actorId" in row ? row.actorId : "reporter" in row ? idIn(row.reporter) : (row.userId ?? row.id);

export const EXACT: Record<string, Predicate> = {
  completed: (row, values) => within(row, "completed", values),
  unread: (row, [value]) => value !== "true" || row.readAt === null,
  action: (row, values) => within(row, "action", values),
  actorId: (row, values) => within(row, "actorId", lowered(values)),
  targetType: (row, values) => within(row, "targetType", values),
  targetId: (row, values) => within(row, "targetId", lowered(values)),
  status: (row, values) => within(row, "status", values),
  category: (row, values) => within(row, "category", values),
  member: (row, values) => lowered(values).includes(String(personOf(row))),
  from: (row, [value = ""]) => new Date(String(row.time)).getTime() >= Math.floor(new Date(value).getTime()),
  to: (row, [value = ""]) =>
    new Date(String(row.time)).getTime() <
    new Date(value).getTime() + (DAY.test(value) ? 24 * 3600 * 1000 : 1),
};

/** Of these a row that is shown satisfies all it tells, but not whoever satisfies it is shown. */
export const NECESSARY: Record<string, Predicate> = {
  organization: (row, values) => {
    const { organizationId, organizations, slug, id } = row as Row & { organizations?: { id: string }[] };
    const its = organizations?.map((one) => one.id) ?? [slug === undefined ? organizationId : id];
    return its.some((one) => lowered(values).includes(String(one)));
  },
  search: (row, [value = ""]) => holds(row, value.trim().toLowerCase()),
};

/** What is found by a plain word shows it; what is folded in other ways than case is left out. */
function holds(row: Row, word: string): boolean {
  const text = JSON.stringify(row).toLowerCase();
  if (!/^[a-z0-9#@._-]+$/.test(word) || !/^[\x20-\x7e]*$/.test(text)) return true;
  return (
    text.includes(word) || (word.startsWith("#") && String(row.number) === String(Number(word.slice(1))))
  );
}

/** How lists are narrowed beside these. */
const OTHERS = ["unit"];
const FILTERS = new Set([...Object.keys(EXACT), ...Object.keys(NECESSARY), ...OTHERS]);
export const isFilter = (name: string): boolean => FILTERS.has(name);

import type { Row } from "./pages.ts";

/* Predicates that decide by a row's fields whether the row matches a filter of its list. */

/**
 * Whether a row matches a filter. Null if the row lacks the field, like a ticket whose reporter's account was
 * deleted.
 */
type Predicate = (row: Row, values: string[]) => boolean | null;

const toLowerCase = (ids: string[]) => ids.map((id) => id.toLowerCase());
const hasValue = (row: Row, key: string, values: string[]) => values.includes(String(row[key]));
const idIn = (value: unknown): unknown => (value as { id?: unknown } | null)?.id;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Returns the person that a row is about: the actor of an event, the reporter of a ticket (null if deleted), or the
 * member.
 */
const personOf = (row: Row): unknown =>
  "actorId" in row ? row.actorId : "reporter" in row ? idIn(row.reporter) : (row.userId ?? row.id);

/** The predicates of all filters, except the filter `unit`, which a row's fields do not show. */
export const FILTERS: Record<string, Predicate> = {
  completed: (row, values) => hasValue(row, "completed", values),
  unread: (row, [value]) => value !== "true" || row.readAt === null,
  action: (row, values) => hasValue(row, "action", values),
  actorId: (row, values) => hasValue(row, "actorId", toLowerCase(values)),
  targetType: (row, values) => hasValue(row, "targetType", values),
  targetId: (row, values) => hasValue(row, "targetId", toLowerCase(values)),
  status: (row, values) => hasValue(row, "status", values),
  category: (row, values) => hasValue(row, "category", values),
  member: (row, values) =>
    row.reporter === null ? null : toLowerCase(values).includes(String(personOf(row))),
  client: (row, [value]) => idIn(row.client) === value,
  userId: (row, values) => {
    const { userId } = (row.member ?? {}) as { userId?: string };
    return userId === undefined ? null : toLowerCase(values).includes(userId);
  },
  grantId: (row, [value = ""]) =>
    (row.client as { grantId?: string } | null)?.grantId === value.toLowerCase(),
  connectionId: (row, values) => hasValue(row, "connectionId", toLowerCase(values)),
  from: (row, [value = ""]) => new Date(String(row.time)).getTime() >= Math.floor(new Date(value).getTime()),
  to: (row, [value = ""]) =>
    new Date(String(row.time)).getTime() <
    new Date(value).getTime() + (DATE.test(value) ? 24 * 3600 * 1000 : 1),
  organization: (row, values) => {
    const { organizationId, organizations, slug, id } = row as Row & { organizations?: { id: string }[] };
    const ids = organizations?.map((organization) => organization.id) ?? [
      slug === undefined ? organizationId : id,
    ];
    return ids.some((one) => toLowerCase(values).includes(String(one)));
  },
  search: (row, [value = ""]) => containsWord(row, value.trim().toLowerCase()),
};

/**
 * Whether any field of a row contains a word. True for non-ASCII texts, because the service folds more than their
 * case.
 */
function containsWord(row: Row, word: string): boolean {
  const text = JSON.stringify(row).toLowerCase();
  if (!/^[a-z0-9#@._-]+$/.test(word) || !/^[\x20-\x7e]*$/.test(text)) return true;
  return (
    text.includes(word) || (word.startsWith("#") && String(row.number) === String(Number(word.slice(1))))
  );
}

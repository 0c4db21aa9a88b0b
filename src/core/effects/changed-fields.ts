/** Returns the fields that differ, with their values before and after, for an audit event; null if none does. */
export function changedFields<Fields extends Record<string, unknown>>(
  before: Fields,
  after: Fields,
): { from: Partial<Fields>; to: Partial<Fields> } | null {
  const keys = Object.keys(before).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  if (keys.length === 0) return null;
  const pick = (fields: Fields) =>
    Object.fromEntries(keys.map((key) => [key, fields[key]])) as Partial<Fields>;
  return { from: pick(before), to: pick(after) };
}

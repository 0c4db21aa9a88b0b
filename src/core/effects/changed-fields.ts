/**
 * Returns the fields of `before` that differ, with their values before and after the change. Returns null if no
 * field differs.
 */
export function changedFields<Before extends object, After extends { [Key in keyof Before]: unknown }>(
  before: Before,
  after: After,
): { from: Partial<Before>; to: Partial<After> } | null {
  const keys = (Object.keys(before) as (keyof Before)[]).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  if (keys.length === 0) return null;
  return { from: pick(before, keys), to: pick<After>(after, keys) };
}

const pick = <Fields extends object>(fields: Fields, keys: (keyof Fields)[]) =>
  Object.fromEntries(keys.map((key) => [key, fields[key]])) as Partial<Fields>;

/** Returns the fields that a request sent. */
export const withoutUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]: Exclude<T[Key], undefined>;
  };

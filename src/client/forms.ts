/**
 * Returns the timeout of a form in milliseconds: allows 32 KiB a second, at least two minutes, at most as long as
 * the service reads a form.
 */
export const uploadTimeout = (bytes: number) =>
  Math.min(290_000, Math.max(120_000, (bytes / (32 * 1024)) * 1000));

/**
 * Builds a form from the fields that are set; a list becomes one entry per item. Also estimates the form's size in
 * bytes.
 */
export function formOf(fields: Record<string, unknown>): { form: FormData; total: number } {
  const form = new FormData();
  let total = 0;
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) {
      if (one === undefined || one === null) continue;
      const entry = one instanceof Blob ? one : String(one);
      total += entry instanceof Blob ? entry.size : entry.length;
      form.append(name, entry);
    }
  return { form, total };
}

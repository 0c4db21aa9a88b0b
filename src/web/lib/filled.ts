type Data = Readonly<Record<string, unknown>>;

function valueIn(data: Data, name: string): string {
  const value = Object.hasOwn(data, name) ? data[name] : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Fills the placeholders of a text with values of the data. What the data lacks is left out. */
export const filled = (text: string, data: Data): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => valueIn(data, name));

/** Fills the placeholders of a path with encoded values of the data; returns null if the data lacks one. */
export function filledPath(path: string, data: Data): string | null {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const values = Object.fromEntries(names.map((name) => [name, encodeURIComponent(valueIn(data, name))]));
  return Object.values(values).includes("") ? null : filled(path, values);
}

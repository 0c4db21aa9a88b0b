/** Fills the placeholders of a text or, encoded, of a path with values of the data. What the data lacks is left out. */
export const filled = (
  text: string,
  data: Readonly<Record<string, unknown>>,
  encode: (value: string) => string = (value) => value,
): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    return typeof value === "string" || typeof value === "number" ? encode(String(value)) : "";
  });

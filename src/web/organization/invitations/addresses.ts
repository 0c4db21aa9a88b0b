/**
 * Returns the distinct email addresses in a pasted text such as `Ada <ada@example.com>; bob@example.com`. Ignores
 * words without an `@`, which are names. The API validates the addresses.
 */
export function addressesIn(text: string): string[] {
  const words = text
    .split(/[\s,;<>"'()[\]]+/)
    .map((word) => word.replace(/^mailto:/i, "").replace(/[.:]+$/, ""));
  return [...new Set(words.filter((word) => word.includes("@")).map((word) => word.toLowerCase()))];
}

/** Returns the entries of a text, between commas or line breaks, that contain no email address, such as a typing error. */
export const entriesWithoutAddress = (text: string): string[] =>
  text
    .split(/[\n,;]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "" && !entry.includes("@"));

/** Whether an address is probably mistyped, such as one without a domain. Only the API validates it. */
export const isDoubtful = (email: string): boolean => !/^[^@]+@[^@.]+(\.[^@.]+)+$/.test(email);

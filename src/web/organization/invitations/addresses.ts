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

/**
 * The email addresses in a pasted text, without repetitions: `Ada <ada@example.com>; bob@example.com`. Words without an
 * `@` are names; what has one is left to the API to judge.
 */
export function addressesIn(text: string): string[] {
  const words = text
    .split(/[\s,;<>"'()[\]]+/)
    .map((word) => word.replace(/^mailto:/i, "").replace(/[.:]+$/, ""));
  return [...new Set(words.filter((word) => word.includes("@")).map((word) => word.toLowerCase()))];
}

export type Problem = { readonly line: number; readonly what: "noName" | "tooDeep" };

/** The maximum of one request: paths, names of a path, and bytes with room for what is around them. */
export const [MAX_PATHS, MAX_NAMES, MAX_BYTES] = [1_000, 20, 95_000];
const TAB = 4;

/**
 * Reads units from a text: one in each line, below the nearest line above with less indentation, or a path such as
 * `Europe > Lisbon`. Returns only the paths that are not part of a longer one.
 */
export function parseUnits(text: string): { paths: string[][]; problems: Problem[] } {
  const problems: Problem[] = [];
  const found = new Map<string, string[]>();
  const prefixes = new Set<string>();
  const above: { indent: number; path: string[] }[] = [];
  for (const [index, written] of text.split(/\r\n|\r|\n/).entries()) {
    if (written.trim() === "") continue;
    const indent = indentOf(written);
    while (above.length > 0 && (above.at(-1)?.indent ?? 0) >= indent) above.pop();
    const names = written.split(">").map((name) => name.trim());
    const path = [...(above.at(-1)?.path ?? []), ...names];
    above.push({ indent, path });
    if (names.includes("")) problems.push({ line: index + 1, what: "noName" });
    else if (path.length > MAX_NAMES) problems.push({ line: index + 1, what: "tooDeep" });
    found.set(keyOf(path), path);
    for (let length = 1; length < path.length; length += 1) prefixes.add(keyOf(path.slice(0, length)));
  }
  return { paths: [...found].flatMap(([key, path]) => (prefixes.has(key) ? [] : [path])), problems };
}

export const keyOf = (path: readonly string[]): string => JSON.stringify(path);

function indentOf(line: string): number {
  let width = 0;
  for (const character of line) {
    if (character.trim() !== "") break;
    width = character === "\t" ? (Math.floor(width / TAB) + 1) * TAB : width + 1;
  }
  return width;
}

export const fits = (paths: readonly string[][]): boolean =>
  paths.length <= MAX_PATHS && new TextEncoder().encode(JSON.stringify(paths)).length <= MAX_BYTES;

import type { Operation } from "./operations.ts";

/** Returns the words of a text in lower case, also those of names such as `listTodos`, without the s of a plural. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => (word.length > 3 ? word.replace(/s$/, "") : word));

const EXACT = 100;
/** Shorter words of a query say nothing. */
const MIN_LETTERS = 3;
const SILENT = new Set(["the", "and", "for", "who", "are", "all", "with", "from"]);
/** With so many letters in common, two words are taken for forms of one: `invite` finds `invitations`. */
const STEM_LETTERS = 5;

/** Scores a word of the query among the words of a text: in full, as the beginning of one, or as another form of it. */
function scoreIn(words: string[], wanted: string, weight: number): number {
  if (words.includes(wanted)) return weight;
  const stem = wanted.slice(0, STEM_LETTERS);
  return words.some((word) => word.startsWith(stem)) ? weight / 2 : 0;
}

/** Returns the significant words of a query. Searches `e-mail` as `email`, too. */
const soughtIn = (query: string): string[] => {
  const joined = query.replaceAll(/(?<=\p{L})-(?=\p{L})/gu, "");
  return [...new Set([...wordsOf(query), ...wordsOf(joined)])].filter(
    (word) => word.length >= MIN_LETTERS && !SILENT.has(word),
  );
};

function scoreOf({ operationId, summary, definition: { path } }: Operation, query: string): number {
  if (operationId.toLowerCase() === query.trim().toLowerCase()) return EXACT;
  const [ofName, ofSummary, ofPath] = [operationId, summary, path].map(wordsOf) as [
    string[],
    string[],
    string[],
  ];
  return soughtIn(query).reduce(
    (sum, word) => sum + scoreIn(ofName, word, 4) + scoreIn(ofSummary, word, 3) + scoreIn(ofPath, word, 2),
    0,
  );
}

/** Returns the operations that fit a query, best first. */
export const search = (operations: Operation[], query: string, limit: number): Operation[] =>
  operations
    .map((operation) => ({ operation, score: scoreOf(operation, query) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ operation }) => operation);

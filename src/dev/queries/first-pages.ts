/**
 * Writes first pages of lists as separate queries (docs/decisions/0007). A list has one query for all sorts and
 * filters. A comment before it may mark the first pages that get their own query with a cached plan, one per line:
 *
 * @firstPages <name> (<filters that are set>) [by <sorts>] [asc|desc] [counted <list>(<owner>[, <part>])]
 *
 * Each sort and direction becomes a query with a literal sort, direction and size, and without the filters that are
 * not set. The first column is the stored total of the list (migrations/0002_row_counts.sql).
 */

const DEFAULT_SIZE = 20;
/** The query of a list, and the comment before it that marks the list's first pages. */
const MARKED_QUERY =
  /\/\*((?:(?!\*\/)[\s\S])*@firstPages(?:(?!\*\/)[\s\S])*)\*\/\s*\/\* @name (\w+) \*\/\n([^;]+);/g;
const MARK =
  /@firstPages (\w+) \(([\w, ]*)\)(?: by ([\w, ]+?))?(?: (asc|desc))?(?: counted (\w+)\(([\w, ]*)\))?\s*$/;
/** The beginning of a condition that depends on whether a filter is set (IS NOT NULL) or not (IS NULL). */
const NULL_TEST = /\(:(\w+)!?(?:::\w+(?:\[\])?)? IS (NOT )?NULL\s+OR /;
/** Matches one sort key: `CASE WHEN :sort = 'name' AND NOT :descending THEN name END`. */
const SORT_KEY =
  /CASE WHEN (?::sort!? = '(\w+)' AND )?(NOT )?:descending(?:!?::boolean)? THEN ((?:(?! END\b).)+) END( DESC)?,?\s*/g;
/** A page of ids, and the join that reads their rows. Ids of users identify the members of one organization. */
const PAGE_OF_IDS =
  /SELECT (\w+)\.(id|user_id)\s+FROM (\w+) \1\b((?:(?!\) page\b)[\s\S])*\)) page\s+JOIN \3 \1 ON (?:\1\.organization_id = :organizationId AND )?\1\.\2 = page\.\2\b/;

export type FirstPage = {
  list: string;
  name: string;
  filters: string[];
  /** The filters that are not set in this first page's query. */
  without: string[];
  sort: string | null;
  descending: boolean;
  hasTotal: boolean;
  sql: string;
};

type Marked = {
  list: string;
  statement: string;
  name: string;
  filters: string[];
  sorts: string[];
  directions: boolean[];
  total: string | null;
};

/**
 * Returns the variants of list queries that read only the first page, for each query that a .sql file marks for it.
 * @throws Error if a query cannot be rewritten as a first page
 */
export function firstPagesOf(text: string): FirstPage[] {
  return marksOf(text).flatMap(({ sorts, directions, ...marked }) =>
    (sorts.length === 0 ? [null] : sorts).flatMap((sort) =>
      directions.map((descending) => firstPage(marked, sort, descending)),
    ),
  );
}

function marksOf(text: string): Marked[] {
  const marks = [...text.matchAll(MARKED_QUERY)].flatMap(([, comment = "", list = "", statement = ""]) =>
    linesWithMarks(comment).map((line) => parseMark(line, list, statement)),
  );
  if (marks.length !== linesWithMarks(text).length)
    throw new Error("A comment with @firstPages must be directly before a query");
  return marks;
}

const linesWithMarks = (text: string) => text.split("\n").filter((line) => line.includes("@firstPages"));

function parseMark(line: string, list: string, statement: string): Marked {
  const parsed = MARK.exec(line);
  if (parsed === null) throw new Error(`Cannot be read: ${line.trim()}`);
  const [, name = "", filters = "", by, direction, counted, owners = ""] = parsed;
  const known = sortsOf(statement);
  const sorts = by === undefined ? known : wordsOf(by);
  const unknown = sorts.find((sort) => !known.includes(sort));
  if (unknown !== undefined) throw new Error(`${list} has no sort ${unknown}`);
  return {
    ...{ list, statement, name, sorts, filters: wordsOf(filters) },
    directions: direction === undefined ? [false, true] : [direction === "desc"],
    total: counted === undefined ? null : storedTotal(counted, wordsOf(owners)),
  };
}

const wordsOf = (list: string): string[] => list.match(/\w+/g) ?? [];

/** Returns the sort fields of a query, as in `:sort = 'name'`. */
export const sortsOf = (statement: string): string[] => [
  ...new Set([...statement.matchAll(/:sort!? = '(\w+)'/g)].map(([, sort = ""]) => sort)),
];

const storedTotal = (list: string, [owner, part]: string[]): string => {
  const condition = (column: string, parameter: string | undefined) =>
    parameter === undefined ? `${column} IS NULL` : `${column} = :${parameter}`;
  return `(SELECT COALESCE(sum(rows), 0)::int FROM counted_rows
  WHERE list = '${list}' AND ${condition("owner", owner)} AND ${condition("part", part)}) AS "total!",
  `;
};

function firstPage(
  { list, statement, name, filters, total }: Omit<Marked, "sorts" | "directions">,
  sort: string | null,
  descending: boolean,
): FirstPage {
  const suffix = `${sort === null ? "" : `By${capitalized(sort)}`}${descending ? "Desc" : "Asc"}`;
  const { text, without } = withFilters(statement, new Set(filters));
  let sql = text.replaceAll(
    /ORDER BY\s+((?:CASE WHEN (?::sort|:descending|NOT :descending)[\s\S]+? END(?: DESC)?,?\s*)+)/g,
    (_, keys) => orderBy(keys, sort, descending),
  );
  sql = sql.replace("LIMIT :limit! OFFSET :offset!", `LIMIT ${DEFAULT_SIZE}`);
  // A later page selects ids first, because it skips rows without reading them. A first page skips none.
  sql = sql.replace(PAGE_OF_IDS, "SELECT $1.* FROM $3 $1$4 $1");
  if (total !== null) sql = sql.replace(/^SELECT /, () => `SELECT ${total}`);
  for (const filter of filters) {
    if (!statement.includes(`:${filter}`)) throw new Error(`${list} has no filter ${filter}`);
    sql = sql.replace(new RegExp(`:${filter}\\b!?`), `:${filter}!`);
  }
  const left = /:(sort|descending|limit|offset)\b/.exec(sql);
  if (left !== null)
    throw new Error(`A first page of ${list} would still have the parameter ${left[1]}: ${sql}`);
  const hasTotal = total !== null;
  return { list, name: name + suffix, filters, without, sort, descending, hasTotal, sql: sql.trim() };
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns the statement with only the conditions of the given filters, and the names of all other filters. */
function withFilters(statement: string, filters: ReadonlySet<string>): { text: string; without: string[] } {
  const without = new Set<string>();
  let sql = statement;
  for (let test = NULL_TEST.exec(sql); test !== null; test = NULL_TEST.exec(sql)) {
    const [opening, name = "", not] = test;
    const end = closingOf(sql, test.index);
    const condition = sql.slice(test.index + opening.length, end);
    const kept = /\b(AND|OR)\b/.test(condition) ? `(${condition})` : condition;
    if (!filters.has(name)) without.add(name);
    const isKept = filters.has(name) === (not === undefined);
    sql = sql.slice(0, test.index) + (isKept ? kept : "TRUE") + sql.slice(end + 1);
  }
  const text = sql
    .replaceAll(/\s+AND TRUE\b/g, "")
    .replaceAll(/\bWHERE TRUE\s+AND /g, "WHERE ")
    .replaceAll(/\s+WHERE TRUE\b/g, "");
  return { text, without: [...without] };
}

/** Returns the position of the parenthesis that closes the one at `start`. */
function closingOf(sql: string, start: number): number {
  let depth = 0;
  for (let at = start; at < sql.length; at += 1) {
    if (sql[at] === "'") at = sql.indexOf("'", at + 1);
    else if (sql[at] === "(") depth += 1;
    else if (sql[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error(`A parenthesis is not closed: ${sql}`);
}

function orderBy(keys: string, sort: string | null, descending: boolean): string {
  const kept = [...keys.matchAll(SORT_KEY)].filter(
    ([, of, not]) => (of === undefined || of === sort) && (not === undefined) === descending,
  );
  const rest = keys.replaceAll(SORT_KEY, "").trim();
  if (rest !== "") throw new Error(`Not a sort key: ${rest}`);
  const line = `ORDER BY ${kept.map(([, , , column, direction = ""]) => column + direction).join(", ")}`;
  return line + (/\s*$/.exec(keys)?.[0] ?? "");
}

/** Returns the text of the .sql file with these first pages. */
export const sqlOf = (pages: FirstPage[], source: string): string =>
  [
    `/* Generated by \`bun run queries\` from the @firstPages of ${source}. Do not edit. */\n`,
    ...pages.map(({ name, sql }) => `/* @name ${name} */\n${sql};\n`),
  ].join("\n");

/** Returns the table of first pages for the file of typed queries. `ListQuery` finds its queries in the table. */
export function listsOf(pages: FirstPage[]): string {
  const lists = [...Map.groupBy(pages, ({ list }) => list)].map(
    ([list, ofList]) =>
      `\nexport const ${list}FirstPages = [\n${ofList.map((page) => `  ${entry(page)},\n`).join("")}] as const;\n`,
  );
  return lists.join("");
}

const entry = ({ name, filters, without, sort, descending, hasTotal }: FirstPage) =>
  `{ filters: ${JSON.stringify(filters)}, without: ${JSON.stringify(without)}, sort: ${JSON.stringify(sort)}, ` +
  `descending: ${descending}, hasTotal: ${hasTotal}, query: ${name} }`;

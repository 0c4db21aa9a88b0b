import type { Condition, FirstPage, ListBlock, Total } from "./list-block.ts";

/** The page size of first pages that have their own query; `list` in src/core/api/list.ts chooses by it too. */
const FIRST_PAGE_SIZE = 20;

/** The statements of a list, and the TypeScript after their types that puts them together. */
export type ComposedList = {
  name: string;
  /** The statements, in the form that pgtyped reads. */
  sql: string;
  /** The conditions of its pages, for another query. */
  conditions: string;
  /** The type of the page's parameters. */
  params: string;
  filters: string[];
  sorts: string[];
  /** The names of queries that are used only through the list. */
  internal: string[];
  declaration: string;
};

/** Composes the statements of a list: page, count, stored totals, first pages, and queries for one row. */
export function composeList(list: ListBlock): ComposedList {
  const { name, sorts, totals, firstPages, finds, isUnpaged } = list;
  const Name = capitalized(name);
  const filters = [...new Set(list.conditions.map(({ filter }) => filter))];
  const stored = totals.map((total) => ({ total, query: `total${Name}${suffixOf(total.filters)}` }));
  const first = firstPages.map((page) => ({
    page,
    query: `first${Name}${suffixOf(page.filters)}By${capitalized(page.sort)}${page.descending ? "Desc" : "Asc"}`,
    total: totals.find((total) => isSame(total.filters, page.filters)),
  }));
  const statements: [string, string][] = [
    [`list${Name}`, isUnpaged ? wholeList(list) : page(list)],
    ...(isUnpaged ? [] : ([[`count${Name}`, count(list)]] as [string, string][])),
    ...stored.map(({ total, query }): [string, string] => [query, storedTotal(total)]),
    ...first.map(({ page, query, total }): [string, string] => [query, firstPage(list, page, total)]),
    ...finds.map((find): [string, string] => [find.name, oneRow(list, find)]),
  ];
  return {
    name,
    conditions: conditionsOf(list, "pages").join("\n    AND "),
    sql: statements.map(([query, sql]) => `/* @name ${query} */\n${sql};\n`).join("\n"),
    params: `IList${Name}Params`,
    filters,
    sorts: sorts.length > 1 ? sorts.map((sort) => sort.name) : [],
    internal: [...stored, ...first].map(({ query }) => query),
    declaration: isUnpaged
      ? ""
      : `
export const ${name}: List<IList${Name}Params, IList${Name}Result> = {
  filters: ${JSON.stringify(filters)},
  page: list${Name},
  count: count${Name},
  totals: [${stored.map(({ total, query }) => `\n    { filters: ${JSON.stringify(total.filters)}, query: ${query} },`).join("")}
  ],
  firstPages: [${first
    .map(
      ({ page, query, total }) =>
        `\n    { filters: ${JSON.stringify(page.filters)}, sort: ${sorts.length > 1 ? `"${page.sort}"` : "null"}, ` +
        `descending: ${page.descending}, hasTotal: ${total !== undefined}, query: ${query} },`,
    )
    .join("")}
  ],
};
`,
  };
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const suffixOf = (filters: string[]) =>
  filters.length === 0 ? "" : `Of${filters.map(capitalized).join("And")}`;
const isSame = (one: string[], other: string[]) => one.toSorted().join() === other.toSorted().join();

/** Selects the keys of a page first, so that the rows before it are read from an index only. */
const page = (list: ListBlock) =>
  rowsOfKeys(list, conditionsOf(list, "pages"), orderBy(list), "LIMIT :limit! OFFSET :offset!");

/**
 * A first page: a literal order and size, and only the conditions that apply. It skips no rows, so it reads them at
 * once, unless they are joined to the keys in a special way.
 */
function firstPage(
  list: ListBlock,
  { filters, sort, descending }: FirstPage,
  total: Total | undefined,
): string {
  const { table, alias, columns, join } = list;
  const order = literalOrder(list, sort, descending);
  const conditions = [...always(list), ...conditionsOfSet(list, filters).map(text)];
  const size = `LIMIT ${FIRST_PAGE_SIZE}`;
  const counted = total === undefined ? "" : `(${sumOf(total)}) AS "total!",\n  `;
  if (list.rows !== "") return rowsOfKeys(list, conditions, order, size, counted);
  return lines(
    `SELECT ${counted}${columns}`,
    "FROM (",
    indented(lines(`SELECT ${alias}.* FROM ${table} ${alias}`, whereOf(conditions), order, size)),
    `) ${alias}`,
    join,
    order,
  );
}

function rowsOfKeys(
  list: ListBlock,
  conditions: string[],
  order: string,
  window: string,
  counted = "",
): string {
  const { table, alias, keys, columns, join } = list;
  const selected = keys.map((key) => `${alias}.${key}`).join(", ");
  const joined = keys.map((key) => `${alias}.${key} = page.${key}`).join(" AND ");
  return lines(
    `SELECT ${counted}${columns}`,
    "FROM (",
    indented(lines(`SELECT ${selected} FROM ${table} ${alias}`, whereOf(conditions), order, window)),
    ") page",
    `JOIN ${list.rows || `${table} ${alias}`} ON ${joined}`,
    join,
    order,
  );
}

const count = (list: ListBlock) =>
  lines(
    'SELECT count(*)::int AS "total!"',
    `FROM ${list.table} ${list.alias}`,
    whereOf(conditionsOf(list, "counts")),
  );

const wholeList = (list: ListBlock) => lines(rowsWhere(list, conditionsOf(list, "pages")), orderBy(list));

/** Finds one row: with the conditions of the named filters, each switched off by a null, and without the others. */
function oneRow(list: ListBlock, { filters, condition }: ListBlock["finds"][number]): string {
  const others = conditionsOfSet(list, []).filter(({ filter }) => !filters.includes(filter));
  const chosen = list.conditions.filter(({ filter }) => filters.includes(filter));
  return rowsWhere(list, [...always(list), ...others.map(text), ...chosen.map(optional), condition]);
}

const rowsWhere = ({ columns, rows, table, alias, join }: ListBlock, conditions: string[]) =>
  lines(`SELECT ${columns}`, `FROM ${rows || `${table} ${alias}`}`, join, whereOf(conditions));

const storedTotal = (total: Total) =>
  `SELECT (${sumOf(total)}) AS "total!"${total.condition === "" ? "" : `\nWHERE ${total.condition}`}`;

function sumOf({ list, owner, part }: Total): string {
  const [ofOwner, ofPart] = [owner, part].map((name) => (name === null ? "IS NULL" : `= :${name}!`));
  return `SELECT COALESCE(sum(rows), 0)::int FROM counted_rows
  WHERE list = '${list}' AND owner ${ofOwner} AND part ${ofPart}`;
}

const always = ({ where }: ListBlock) => (where === "" ? [] : [where]);

/** Returns the conditions for any filters, each switched off by a null. */
const conditionsOf = (list: ListBlock, place: "pages" | "counts") => [
  ...always(list),
  ...list.conditions.filter(({ onlyIn }) => onlyIn === null || onlyIn === place).map(optional),
];

/** The test for null comes last, because PostgreSQL infers the type of a parameter from its first use. */
const optional = ({ text, filter, appliesIfSet }: Condition) =>
  `(${text} OR :${filter} IS ${appliesIfSet ? "" : "NOT "}NULL)`;

/** Returns the conditions of a page for which exactly these filters are set. */
const conditionsOfSet = ({ conditions }: ListBlock, filters: string[]) =>
  conditions.filter(
    ({ filter, appliesIfSet, onlyIn }) => onlyIn !== "counts" && filters.includes(filter) === appliesIfSet,
  );

const text = (condition: Condition) => `(${condition.text})`;

const whereOf = (conditions: string[]) =>
  conditions.length === 0 ? "" : `WHERE ${conditions.join("\n  AND ")}`;

function orderBy({ sorts, alias, keys }: ListBlock): string {
  const keysOf = (
    condition: string,
    { nullsFirst = false, text }: { nullsFirst?: boolean; text: string },
  ) => {
    const [down, up] = nullsFirst ? [" NULLS LAST", " NULLS FIRST"] : ["", ""];
    return [
      `CASE WHEN ${condition}:descending!::boolean THEN ${text} END DESC${down}`,
      `CASE WHEN ${condition}NOT :descending!::boolean THEN ${text} END${up}`,
    ];
  };
  const columns = sorts.flatMap((sort) =>
    keysOf(sorts.length > 1 ? `:sort! = '${sort.name}' AND ` : "", sort),
  );
  return `ORDER BY\n  ${[...columns, ...keysOf("", { text: `${alias}.${keys.at(-1)}` })].join(",\n  ")}`;
}

function literalOrder({ sorts, alias, keys }: ListBlock, name: string, descending: boolean): string {
  const sort = sorts.find((one) => one.name === name);
  const direction = descending ? " DESC" : "";
  const nulls = sort?.nullsFirst ? (descending ? " NULLS LAST" : " NULLS FIRST") : "";
  return `ORDER BY ${sort?.text}${direction}${nulls}, ${alias}.${keys.at(-1)}${direction}`;
}

const lines = (...texts: string[]) => texts.filter((text) => text !== "").join("\n");
const indented = (text: string) => text.replaceAll(/^/gm, "  ");

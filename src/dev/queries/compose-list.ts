import type { Condition, FirstPage, ListBlock, Total } from "./list-block.ts";

/** The page size of first pages that have their own query; `list` in src/core/api/list.ts chooses by it too. */
const FIRST_PAGE_SIZE = 20;

/** The statements of a list, by their names. */
export type ComposedList = {
  list: ListBlock;
  page: Statement;
  /** Null for an unpaged list. */
  count: Statement | null;
  totals: (Statement & { filters: string[] })[];
  firstPages: (Statement & FirstPage & { hasTotal: boolean })[];
  finds: Statement[];
  /** The conditions of the list's pages, for other queries. */
  conditions: string;
};

type Statement = { name: string; sql: string };

/** Composes the statements of a list: page, count, stored totals, first pages, and queries for one row. */
export function composeList(list: ListBlock): ComposedList {
  const { totals, firstPages, finds, isUnpaged } = list;
  const Name = capitalized(list.name);
  return {
    list,
    page: { name: `list${Name}`, sql: isUnpaged ? wholeList(list) : page(list) },
    count: isUnpaged ? null : { name: `count${Name}`, sql: count(list) },
    totals: totals.map((total) => ({
      ...{ name: `total${Name}${suffixOf(total.filters)}`, sql: storedTotal(total), filters: total.filters },
    })),
    firstPages: firstPages.map((first) => {
      const total = totals.find(({ filters }) => isSame(filters, first.filters));
      const order = `By${capitalized(first.sort)}${first.descending ? "Desc" : "Asc"}`;
      const name = `first${Name}${suffixOf(first.filters)}${order}`;
      return { ...first, name, sql: firstPage(list, first, total), hasTotal: total !== undefined };
    }),
    finds: finds.map((find) => ({ name: find.name, sql: oneRow(list, find) })),
    conditions: conditionsOf(list, "pages").join("\n    AND "),
  };
}

/** Returns the statements of a list in the form that pgtyped reads. */
export const sqlOf = ({ page, count, totals, firstPages, finds }: ComposedList): string =>
  [page, ...(count === null ? [] : [count]), ...totals, ...firstPages, ...finds]
    .map(({ name, sql }) => `/* @name ${name} */\n${sql};\n`)
    .join("\n");

export const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
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
  return rowsWhere(list, [
    ...always(list),
    ...others.map(text),
    ...chosen.map(optional),
    joinable(condition),
  ]);
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

const always = ({ where }: ListBlock) => (where === "" ? [] : [joinable(where)]);

/** A condition that others may follow with AND. An OR without parentheses would switch the others off. */
const joinable = (condition: string) => (/\bOR\b/i.test(condition) ? `(${condition})` : condition);

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

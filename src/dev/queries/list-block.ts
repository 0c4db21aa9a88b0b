/**
 * A list in a .sql file, in parts that `composeList` turns into statements. Each line that begins with a mark begins a
 * part, which ends at the next mark or comment. The last part ends with a semicolon (docs/extend.md, "A list"):
 *
 * @list <name> from <table> <alias> by <key columns> [unpaged]
 * @columns the columns of a row
 * @rows what is joined to the keys of a page, if not the table itself
 * @join tables that are joined only to the rows of a page
 * @where a condition that always applies
 * @if [not] <filter> [on pages | in counts] a condition that applies if the filter is (not) null
 * @sort <name> [nulls first] what the rows are sorted by; ties are sorted by the last key column
 * @total <list>(<owner>[, <part>]) [if <filters>] the filters with which the total is stored, and a condition for it
 * @first [<filters>] by <sort> asc|desc a first page that gets a query of its own
 * @find <name> [if <filters>] a query with the same columns for one row, with its condition
 */
const PATTERNS = {
  list: /^(?<name>\w+) from (?<table>\w+) (?<alias>\w+) by (?<keys>[\w, ]+?)(?<unpaged> unpaged)?$/,
  columns: /^$/,
  rows: /^$/,
  join: /^$/,
  where: /^$/,
  if: /^(?<not>not )?(?<filter>\w+)(?: (?:on|in) (?<place>pages|counts))?$/,
  sort: /^(?<name>\w+)(?<nullsFirst> nulls first)?$/,
  total: /^(?<list>\w+)\((?<owners>[\w, ]*)\)(?: if (?<filters>[\w, ]+))?$/,
  first: /^(?:(?<filters>[\w, ]+) )?by (?<sort>\w+) (?<direction>asc|desc)$/,
  find: /^(?<name>\w+)(?: if (?<filters>[\w, ]+))?$/,
};

export type ListBlock = ReturnType<typeof parseList>;
export type Condition = ListBlock["conditions"][number];
export type Total = ListBlock["totals"][number];
export type FirstPage = ListBlock["firstPages"][number];
export type Find = ListBlock["finds"][number];

/** Replaces the lists in the text of a .sql file. Returns the remaining text with what `compose` returns for each. */
export function replaceLists(text: string, compose: (list: ListBlock) => string): string {
  const kept: string[] = [];
  const lines = text.split("\n");
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    if (!line.startsWith("/* @list ")) {
      kept.push(line);
      continue;
    }
    const end = lines.findIndex((other) => other.endsWith(";"));
    if (end === -1) throw new Error(`No line ends this list with a semicolon: ${line}`);
    kept.push(compose(parseList([line, ...lines.splice(0, end + 1)])));
  }
  return kept.join("\n");
}

function parseList(lines: string[]) {
  const parts = partsOf(lines);
  const all = (mark: keyof typeof PATTERNS) => parts.filter((part) => part.mark === mark);
  const textOf = (mark: keyof typeof PATTERNS) => all(mark)[0]?.text ?? "";
  const { name = "", table = "", alias = "", keys, unpaged } = all("list")[0]?.words ?? {};
  const conditions = all("if").map(({ words: { not, filter = "", place }, text }) => ({
    ...{ filter, text, appliesIfSet: not === undefined, onlyIn: place ?? null },
  }));
  const sorts = all("sort").map(({ words, text }) => ({
    ...{ name: words.name ?? "", text, nullsFirst: words.nullsFirst !== undefined },
  }));
  const filtersIn = (text: string | undefined) => {
    const filters = wordsOf(text);
    const unknown = filters.find((word) => !conditions.some(({ filter }) => filter === word));
    if (unknown !== undefined) throw new Error(`The list ${name} has no filter ${unknown}`);
    return filters;
  };
  const totals = all("total").map(({ words: { list = "", owners, filters }, text }) => {
    const [owner = null, part = null] = wordsOf(owners);
    const ofOwners = wordsOf(owners).filter((word) => conditions.some(({ filter }) => filter === word));
    return { list, owner, part, filters: [...ofOwners, ...filtersIn(filters)], condition: text };
  });
  const firstPages = all("first").map(({ words: { filters, sort = "", direction } }) => {
    if (!sorts.some(({ name }) => name === sort)) throw new Error(`The list ${name} has no sort ${sort}`);
    return { filters: filtersIn(filters), sort, descending: direction === "desc" };
  });
  const finds = all("find").map(({ words: { name = "", filters }, text }) => ({
    ...{ name, filters: filtersIn(filters), condition: text },
  }));
  if (textOf("columns") === "") throw new Error(`The list ${name} has no @columns`);
  return {
    ...{ name, table, alias, keys: wordsOf(keys), isUnpaged: unpaged !== undefined },
    ...{ columns: textOf("columns"), rows: textOf("rows"), join: textOf("join"), where: textOf("where") },
    ...{ conditions, sorts, totals, firstPages, finds },
  };
}

type Part = { mark: string; words: Record<string, string | undefined>; text: string };

const MARK = /^\/\* @(\w+) ?(.*?) ?\*\/(.*)$/;

function partsOf(lines: string[]): Part[] {
  const parts: Part[] = [];
  for (const line of lines) {
    const [, mark, rest = "", text = ""] = MARK.exec(line) ?? [];
    const last = parts.at(-1);
    if (mark !== undefined) parts.push({ mark, words: readMark(mark, rest), text });
    else if (line.startsWith("/*")) parts.push({ mark: "comment", words: {}, text: "" });
    else if (last !== undefined) last.text += `\n${line}`;
  }
  return parts.map((part) => ({ ...part, text: part.text.replace(/;$/, "").trim() }));
}

function readMark(mark: string, rest: string): Part["words"] {
  if (!Object.hasOwn(PATTERNS, mark)) throw new Error(`Unknown mark: @${mark}`);
  const found = PATTERNS[mark as keyof typeof PATTERNS].exec(rest);
  if (found === null) throw new Error(`Cannot be read: @${mark} ${rest}`);
  return found.groups ?? {};
}

const wordsOf = (text = ""): string[] => text.match(/\w+/g) ?? [];

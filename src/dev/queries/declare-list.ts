import { type ComposedList, capitalized } from "./compose-list.ts";

const IMPORT = 'import type { List } from "#src/core/api/list";\n';

/**
 * Adds a list to the typed queries of its file. Its parameters must name every filter, null for none, so that none is
 * forgotten, and a sort of the list. Queries that only the list uses are not exported.
 */
export function declareList(text: string, composed: ComposedList): string {
  const { list, totals, firstPages } = composed;
  const start = text.indexOf(`export interface IList${capitalized(list.name)}Params {`);
  const end = text.indexOf("}", start);
  const typed = text
    .slice(start, end)
    .replace("  sort: string;", `  sort: ${list.sorts.map(({ name }) => `"${name}"`).join(" | ")};`)
    .replaceAll(/^ {2}(\w+)\?: (.*) \| void;$/gm, (line, name, type) =>
      filtersOf(composed).includes(name) ? `  ${name}: ${type};` : line,
    );
  const rest = [...totals, ...firstPages].reduce(
    (text, { name }) => text.replace(`export const ${name} =`, `const ${name} =`),
    text.slice(end),
  );
  const imported = list.isUnpaged || text.startsWith(IMPORT) ? "" : IMPORT;
  return imported + text.slice(0, start) + typed + rest + declarationOf(composed);
}

const filtersOf = ({ list }: ComposedList) => [...new Set(list.conditions.map(({ filter }) => filter))];

/** Returns the TypeScript that puts the queries of a list together; `List` in src/core/api/list.ts is its type. */
function declarationOf(composed: ComposedList): string {
  const { list, page, count, totals, firstPages } = composed;
  if (count === null) return "";
  const Name = capitalized(list.name);
  const sortOf = (sort: string) => (list.sorts.length > 1 ? JSON.stringify(sort) : "null");
  return `
export const ${list.name}: List<IList${Name}Params, IList${Name}Result> = {
  filters: ${JSON.stringify(filtersOf(composed))},
  page: ${page.name},
  count: ${count.name},
  totals: [${linesOf(totals, ({ name, filters }) => `{ filters: ${JSON.stringify(filters)}, query: ${name} }`)}
  ],
  firstPages: [${linesOf(
    firstPages,
    ({ name, filters, sort, descending, hasTotal }) =>
      `{ filters: ${JSON.stringify(filters)}, sort: ${sortOf(sort)}, descending: ${descending}, hasTotal: ${hasTotal}, query: ${name} }`,
  )}
  ],
};
`;
}

const linesOf = <Entry>(entries: Entry[], line: (entry: Entry) => string) =>
  entries.map((entry) => `\n    ${line(entry)},`).join("");

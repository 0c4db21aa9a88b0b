import { folded } from "../../../theme/fold.ts";
import { addressesIn } from "../addresses.ts";
import type { Table } from "./table.ts";

/** The columns of a table by their index; null for what is the same for all rows. */
export type Columns = {
  readonly email: number;
  readonly role: number | null;
  readonly unit: number | null;
  readonly language: number | null;
};
export type ColumnName = keyof Columns;

/** Headings by which a column is recognized, without case and accents. */
const HEADINGS: Record<Exclude<ColumnName, "email">, readonly string[]> = {
  role: ["role", "roles", "ρολος", "ρολοι"],
  unit: ["unit", "department", "team", "where", "μοναδα", "τμημα"],
  language: ["language", "γλωσσα"],
};

/** Whether the first row has no address although a later one has: it then names the columns. */
export function hasHeading(rows: Table): boolean {
  const [first = [], ...others] = rows;
  return !hasAddress(first) && others.some(hasAddress);
}
const hasAddress = (row: readonly string[]) => row.some((cell) => addressesIn(cell).length > 0);

/** The number of rows by which the column of the addresses is found. */
const SAMPLE = 200;

/** Guesses the columns: addresses by their content, the others by their heading. */
export function guessColumns(rows: Table, isHeaded: boolean): Columns {
  const width = widthOf(rows);
  const counts = Array.from(
    { length: width },
    (_, at) => rows.slice(0, SAMPLE).filter((row) => addressesIn(row[at] ?? "").length > 0).length,
  );
  const email = Math.max(0, counts.indexOf(Math.max(...counts)));
  const headings = isHeaded ? (rows[0] ?? []).map(folded) : [];
  const find = (name: keyof typeof HEADINGS) => {
    const at = headings.findIndex((heading, index) => index !== email && HEADINGS[name].includes(heading));
    return at === -1 ? null : at;
  };
  return { email, role: find("role"), unit: find("unit"), language: find("language") };
}

export const widthOf = (rows: Table): number => rows.reduce((most, row) => Math.max(most, row.length), 1);

/** Spreadsheets interpret cells that begin with these characters as formulas. */
const FORMULA = /^[=+\-@\t]/;

/** Returns rows as CSV for spreadsheets: each cell quoted, and none that would be read as a formula. */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  // The mark at the beginning tells spreadsheets that the text is UTF-8.
  `\uFEFF${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;

const cell = (text: string) => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

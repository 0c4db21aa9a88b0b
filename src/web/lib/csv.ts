/** Spreadsheets interpret cells that begin with these characters as formulas. */
const FORMULA = /^[=+\-@\t\r\n]/;

/**
 * Returns rows as CSV for spreadsheets. Every cell is quoted. A cell that would be interpreted as a formula gets an
 * apostrophe.
 */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  // The mark at the beginning tells spreadsheets that the text is UTF-8.
  `\uFEFF${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;

const cell = (text: string) => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

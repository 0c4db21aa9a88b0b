/**
 * Where spreadsheets may read the beginning of a formula: at the beginning of a cell and, if their delimiter is the semicolon,
 * after one or after a line break, because for them no comma ends the quoted cell.
 */
const FORMULA = /^(?=[=+\-@\t\r\n])|[;\r\n](?=["\s]*[=+\-@])/g;

/**
 * Returns rows as CSV for spreadsheets. Every cell is quoted. A cell that would be interpreted as a formula gets an
 * apostrophe.
 */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  // The mark at the beginning tells spreadsheets that the text is UTF-8.
  `\uFEFF${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;

const cell = (text: string) => `"${text.replaceAll(FORMULA, "$&'").replaceAll('"', '""')}"`;

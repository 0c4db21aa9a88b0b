export type Table = readonly (readonly string[])[];
const SEPARATORS = ["\t", ";", ","];

/** The maximum size of a file: 5,000 rows of some columns are less than 1 MB. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;

/**
 * Returns the text of a file in UTF-8 or UTF-16, as spreadsheets save it. UTF-16 without a mark at its beginning is
 * recognized by its zero bytes. Returns null for any other encoding.
 */
export function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function encodingOf([first, second, third, fourth]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (second === 0 && fourth === 0) return "utf-16le";
  if (first === 0 && third === 0) return "utf-16be";
  return "utf-8";
}

/**
 * Reads a text as a table. Cells may be quoted; the line `sep=;` of spreadsheets names the separator. A text of nothing but
 * addresses, several in a line, becomes one column.
 */
export function parseTable(text: string): Table {
  const [, named, rest = text] = /^sep=([,;\t])\r?\n([\s\S]*)$/i.exec(text) ?? [];
  const rows = rowsOf(rest, named ?? separatorOf(rest));
  const cells = rows.flat().filter((cell) => cell !== "");
  const isList = cells.length > rows.length && cells.every((cell) => cell.includes("@"));
  return isList ? cells.map((cell) => [cell]) : rows;
}

/** Returns the separator that is most frequent in the first line with any, outside of quotes; a comma if there is none. */
function separatorOf(text: string): string {
  const unquoted = text.slice(0, 100_000).replaceAll(/"[^"]*"/g, "");
  const line = unquoted.split(/\r\n|\r|\n/).find((one) => /[,;\t]/.test(one)) ?? "";
  const countOf = (separator: string) => line.split(separator).length;
  return SEPARATORS.reduce((best, one) => (countOf(one) > countOf(best) ? one : best), ",");
}

/** Returns the rows with at least one cell that is not empty; cells are trimmed. */
function rowsOf(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  const endCell = () => {
    row.push(cell.trim());
    cell = "";
  };
  const endRow = () => {
    endCell();
    if (row.some((one) => one !== "")) rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell.trim() === "") {
      cell = "";
      isQuoted = true;
    } else if (character === separator) endCell();
    else if (character === "\n" || character === "\r") endRow();
    else cell += character;
  }
  endRow();
  return rows;
}

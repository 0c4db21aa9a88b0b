/**
 * The position after which a page begins: the time and id of the previous page's last row (keyset pagination,
 * oldest first).
 */
export type After = { afterTime: Date; afterId: string };

export const NO_ID = "00000000-0000-0000-0000-000000000000";
export const FROM_OLDEST: After = { afterTime: new Date(0), afterId: NO_ID };

type Pages<Row, Start> = {
  start: Start;
  read: (window: Start & { limit: number }) => Promise<Row[]>;
  /** Returns the position of the page that follows a row. */
  after: (row: Row) => Start;
  /** Converts rows to the objects that the exported file contains. */
  show: (rows: Row[]) => unknown[] | Promise<unknown[]>;
  rowsAtOnce?: number;
};

/** The number of rows per page. It is small, so that a page takes little memory and is compressed quickly. */
const ROWS_AT_ONCE = 250;

/** Yields a JSON array of all rows, in chunks of one page. The next page is read when the next chunk is requested. */
export async function* jsonOfPages<Row, Start>({
  start,
  read,
  after,
  show,
  rowsAtOnce: limit = ROWS_AT_ONCE,
}: Pages<Row, Start>): AsyncGenerator<string, void, void> {
  let from = start;
  let before = "[";
  for (;;) {
    const rows = await read({ ...from, limit });
    const shown = (await show(rows)).map((row) => JSON.stringify(row));
    if (shown.length > 0) {
      yield `${before}\n${shown.join(",\n")}`;
      before = ",";
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) break;
    from = after(last);
  }
  yield before === "[" ? "[]\n" : "\n]\n";
}

/** Where a page of the oldest rows begins: after a row of that time and id. */
export type After = { afterTime: Date; afterId: string };

export const NO_ID = "00000000-0000-0000-0000-000000000000";
export const FROM_THE_OLDEST: After = { afterTime: new Date(0), afterId: NO_ID };

type Pages<Row, Start> = {
  start: Start;
  read: (window: Start & { limit: number }) => Promise<Row[]>;
  /** Where the page after this row begins. */
  after: (row: Row) => Start;
  /** What is shown of the rows of a page. */
  show: (rows: Row[]) => unknown[] | Promise<unknown[]>;
  rowsAtOnce?: number;
};

/** Few, so that a piece is small, whatever its rows hold. */
const ROWS_AT_ONCE = 250;

/** A JSON array of all rows, in pieces of one page; the next page is read once it is asked for. */
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

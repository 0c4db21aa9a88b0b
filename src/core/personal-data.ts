import type { Queryable } from "../platform/db/prepared-query.ts";

/**
 * The position after which a page begins: the time and id of the previous page's last row (keyset pagination,
 * oldest first).
 */
export type After = { afterTime: Date; afterId: string };

export const NO_ID = "00000000-0000-0000-0000-000000000000";
export const FROM_OLDEST: After = { afterTime: new Date(0), afterId: NO_ID };

/** The account whose data is exported. */
export type DataSubject = { userId: string; email: string; isPlatformAdmin: boolean };

/**
 * A file of the export of an account's data, which a feature declares by the file's name: `read` yields the records as
 * JSON, and contains no more than their owner may read through other routes.
 */
export type PersonalFile = {
  /** What the file contains, in the description of the export; a file without it belongs to another one. */
  readonly text?: string;
  readonly read: (db: Queryable, account: DataSubject) => AsyncIterable<string>;
};

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

/** The position after a row of a list by time of creation. */
export const afterCreated = ({
  createdAt: afterTime,
  id: afterId,
}: {
  createdAt: Date;
  id: string;
}): After => ({
  afterTime,
  afterId,
});

type OwnedRow = { organizationId: string; createdAt: Date; id: string };
type OwnedWindow = After & {
  userId: string;
  isPlatformAdmin: boolean;
  afterOrganizationId: string;
  limit: number;
};

/**
 * Returns how the export reads the records that a person owns in organizations: by a query with the fragment `exported`
 * (sql/fragments.sql), sorted by organization, time of creation and id.
 */
export const ownedRecords =
  <Row extends OwnedRow>(query: { run: (window: OwnedWindow, db: Queryable) => Promise<Row[]> }) =>
  (db: Queryable, { userId, isPlatformAdmin }: DataSubject) =>
    jsonOfPages({
      start: { afterOrganizationId: NO_ID, ...FROM_OLDEST },
      read: (window) => query.run({ userId, isPlatformAdmin, ...window }, db),
      after: (row: Row) => ({ afterOrganizationId: row.organizationId, ...afterCreated(row) }),
      show: (rows) => rows,
    });

/** An organization in an exported record. */
export const organizationOf = (row: { organizationId: string; organizationName: string }) => ({
  id: row.organizationId,
  name: row.organizationName,
});

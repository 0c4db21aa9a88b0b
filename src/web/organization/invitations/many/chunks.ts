import type { Body } from "./rows.ts";

/** The maximum of one request: rows, and bytes with room for what is around them. */
const [MAX_ROWS, MAX_BYTES] = [200, 95_000];

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length + 1;

export function chunksOf<Row extends { readonly body: Body }>(rows: readonly Row[]): Row[][] {
  const chunks: Row[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const last = chunks.at(-1);
    const size = bytesOf(row.body);
    if (last === undefined || last.length === MAX_ROWS || bytes + size > MAX_BYTES) {
      chunks.push([row]);
      bytes = size;
    } else {
      last.push(row);
      bytes += size;
    }
  }
  return chunks;
}

import type { z } from "zod";
import { exactlyOne, type Service } from "#kit";
import * as events from "#sql/audit";
import { type EventRow, presentEvent } from "./present.ts";
import type { AuditEvent, AuditExportQuery } from "./schemas.ts";
import { type EventVisibility, hiddenHistory, shownUnits } from "./visibility.ts";

/**
 * The number of events that an export reads at once. It is small, because the memory of earlier pages is freed only
 * by the garbage collection: pages of a thousand events took three times the memory.
 */
const ROWS_AT_ONCE = 250;

type Event = z.output<typeof AuditEvent>;
/** The last event of the page before, depending on the direction. */
type Position = { before: string | null; beforeTime?: Date; after: string | null; afterTime?: Date };
type Format = Pick<z.output<typeof AuditExportQuery>, "format" | "order">;

/**
 * Returns all visible events as a download. Events are read in pages while the client reads the download; between
 * pages neither rows nor a connection are held. Each page continues after the last event of the previous page.
 * Events from after the start of the export are not included.
 * @param assertReader checks before each page that the client may still read; otherwise the download is aborted
 */
export async function exportEvents(
  { db }: Pick<Service, "db">,
  { format, order }: Format,
  visible: EventVisibility,
  assertReader: () => Promise<void>,
): Promise<Response> {
  await assertReader();
  const { time: end } = exactlyOne(await events.findEndOfExport.run(undefined, db));
  const until = visible.until !== null && visible.until < end ? visible.until : end;
  const units = shownUnits(visible);
  const { type, head, line } = FORMATS[format];
  const encoder = new TextEncoder();
  const read = async (position: Position) => {
    const window = { limit: ROWS_AT_ONCE, offset: "0", descending: order === "desc" };
    const { organizationId } = visible;
    // The restrictions for returned members are read again for each page, because a member may return during the
    // export.
    const hiddenUntil =
      organizationId == null ? null : await hiddenHistory({ db }, organizationId, visible.units);
    return events.listEvents.run({ ...visible, until, hiddenUntil, ...position, ...window }, db.lists);
  };
  // The first page is read before the response begins, so that a failure is an error response instead of an
  // incomplete download.
  let position: Position = { before: null, after: null };
  let piece: EventRow[] | null = await read(position);
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      if (head !== "") controller.enqueue(encoder.encode(head));
    },
    pull: async (controller) => {
      if (piece === null) await assertReader();
      const rows = piece ?? (await read(position));
      piece = null;
      const text = rows.map((row) => line(presentEvent(row, units))).join("");
      if (text !== "") controller.enqueue(encoder.encode(text));
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS_AT_ONCE) controller.close();
      else if (order === "desc") position = { before: last.id, beforeTime: last.time, after: null };
      else position = { before: null, after: last.id, afterTime: last.time };
    },
  });
  return new Response(stream, {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="audit-events.${format}"`,
      "cache-control": "no-store",
    },
  });
}

const COLUMNS = [
  "id",
  "time",
  "action",
  "actorId",
  "actorEmail",
  "targetType",
  "targetId",
  "organizationId",
  "ip",
  "requestId",
  "metadata",
  "actorType",
  "apiKeyId",
  "product",
  "clientId",
  "grantId",
] as const;

/**
 * Where spreadsheets may read the beginning of a formula: at the beginning of a cell and, if their delimiter is the semicolon,
 * after one, because for them no comma ends the quoted cell.
 */
const FORMULA = /^(?=[=+\-@\t])|;(?=["\s]*[=+\-@])/g;

/**
 * Returns a quoted cell. Every cell is quoted, because the delimiter that the spreadsheet uses decides which
 * characters require quotes.
 */
function cell(value: string | null): string {
  const safe = (value ?? "").replaceAll(FORMULA, "$&'");
  return `"${safe.replaceAll('"', '""')}"`;
}

/**
 * Spreadsheets that use semicolons as delimiter may split a quoted cell at a semicolon and interpret the rest as a
 * formula.
 */
const withoutSemicolons = (json: string) => json.replaceAll(";", "\\u003b");

const csvLine = (event: Event): string => {
  const values = {
    ...event,
    actorEmail: event.actor?.email ?? null,
    apiKeyId: event.serviceAccount?.keyId ?? null,
    metadata: withoutSemicolons(JSON.stringify(event.metadata)),
    product: String(event.product),
    clientId: event.client?.id ?? null,
    grantId: event.client?.grantId ?? null,
  };
  return csvRow(COLUMNS.map((column) => values[column]));
};

const csvRow = (values: (string | null)[]): string => `${values.map(cell).join(",")}\r\n`;

const HEADER = csvRow([...COLUMNS]);

/** Without a byte order mark Excel reads UTF-8 in the code page of its system, so that Greek names are garbled. */
const BYTE_ORDER_MARK = "\uFEFF";

const FORMATS = {
  csv: { type: "text/csv; charset=utf-8", head: BYTE_ORDER_MARK + HEADER, line: csvLine },
  ndjson: {
    type: "application/x-ndjson",
    head: "",
    line: (event: Event) => `${JSON.stringify(event)}\n`,
  },
};

const SHOWN: Event = {
  id: "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e",
  action: "UNIT_CREATED",
  actor: { id: "0190c7a0-5b20-7a11-8e4d-3c5f7a9b1d2e", email: "ada@example.com" },
  actorId: "0190c7a0-5b20-7a11-8e4d-3c5f7a9b1d2e",
  actorType: "user",
  serviceAccount: null,
  client: null,
  targetType: "unit",
  targetId: "0190c7a0-5b21-7c0b-9a77-5d1e2f3a4b5c",
  organizationId: "0190c7a0-5b22-7e9d-8b60-6f7a8b9c0d1e",
  metadata: { name: "Sales", parentId: null },
  ip: "203.0.113.7",
  requestId: "0190c7a0-5b23-7f42-8c15-7a8b9c0d1e2f",
  time: "2026-01-31T09:30:00.000Z",
  product: false,
  text: null,
};

/** The formats of the export, for the OpenAPI document. */
export const exportContents = {
  "text/csv": { example: HEADER + FORMATS.csv.line(SHOWN) },
  "application/x-ndjson": {
    example: FORMATS.ndjson.line(SHOWN),
    // `itemSchema` of OpenAPI 3.2: the schema of each item of a stream.
    "x-itemSchema": { $ref: "#/components/schemas/AuditEvent" },
  },
};

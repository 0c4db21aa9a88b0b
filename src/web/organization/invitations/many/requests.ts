import { ApiError, type Client, type FieldError, type Schemas } from "../../../../client/index.ts";
import type { IdempotencyKeys } from "../../../lib/idempotency-keys.ts";
import type { Body, Row } from "./rows.ts";

export type Sent = Row & { readonly body: Body };
export type Result = Pick<Schemas["BulkInvitation"], "outcome" | "code"> & {
  readonly violation?: FieldError;
  /** Whether it happened: false in a dry run. */
  readonly isSent: boolean;
};

export class Stopped extends Error {}

type Options = {
  readonly dryRun: boolean;
  /** Ends the wait for the next request, not a request. */
  readonly signal: AbortSignal;
  /** Called every second of a wait with the seconds that are left, and with null after it. */
  readonly onWait: (seconds: number | null) => void;
};

/**
 * Sends the rows of one chunk. Those whose form the API refuses are left out, and the others sent again. Waits if the
 * service allows no further request now.
 * @throws Stopped; every error that is not about single rows
 */
export async function sendChunk(
  client: Client,
  keys: IdempotencyKeys,
  chunk: readonly Sent[],
  options: Options,
): Promise<Pick<Schemas["BulkInvitations"], "seats" | "mailsWaiting"> & { results: [Row, Result][] }> {
  const refused: [Row, Result][] = [];
  for (let rows = chunk; ; ) {
    const sent = rows;
    if (sent.length === 0) return { seats: { needed: 0, free: null }, mailsWaiting: 0, results: refused };
    try {
      const response = await whenAllowed(() => send(client, keys, sent, options), options);
      const results = response.rows.flatMap(({ index, outcome, code }): [Row, Result][] => {
        const row = sent[index];
        return row === undefined ? [] : [[row, { outcome, code, isSent: !options.dryRun }]];
      });
      return { ...response, results: [...refused, ...results] };
    } catch (error) {
      const violations = violationsOf(error);
      if (violations.size === 0) throw error;
      for (const [index, violation] of violations) {
        const row = sent[index];
        const result = { outcome: "refused", code: "VALIDATION_FAILED", violation, isSent: false } as const;
        if (row) refused.push([row, result]);
      }
      rows = sent.filter((_, index) => !violations.has(index));
    }
  }
}

function send(client: Client, keys: IdempotencyKeys, rows: readonly Sent[], { dryRun }: Options) {
  const body = { rows: rows.map(({ body }) => body), dryRun };
  const request = (idempotencyKey?: string) =>
    client.request("POST /api/members/invitations/bulk", { body, ...(idempotencyKey && { idempotencyKey }) });
  return dryRun ? request() : keys.run(body, request);
}

/** Returns the first violation of each row, by its index; none if the error is about anything else. */
function violationsOf(error: unknown): Map<number, FieldError> {
  const found = new Map<number, FieldError>();
  if (!(error instanceof ApiError) || error.code !== "VALIDATION_FAILED") return found;
  for (const { path, message } of error.errors) {
    const [, index, field = ""] = /^rows\.(\d+)\.(.+)$/.exec(path) ?? [];
    if (index === undefined) return new Map();
    if (!found.has(Number(index)))
      found.set(Number(index), { path: field, message: message.replace(path, field) });
  }
  return found;
}

async function whenAllowed<T>(request: () => Promise<T>, { signal, onWait }: Options): Promise<T> {
  for (;;) {
    if (signal.aborted) throw new Stopped();
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error;
      for (let left = Math.max(1, error.retryAfter ?? 1); left > 0; left -= 1) {
        onWait(left);
        await second(signal);
      }
      onWait(null);
    }
  }
}

/** Waits a second. @throws Stopped */
const second = (signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new Stopped());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, 1_000);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });

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

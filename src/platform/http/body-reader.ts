import { deadlines } from "../db/deadlines.ts";
import { ApiError, incompleteBody, payloadTooLarge, requestTimeout } from "../errors.ts";
import { rejectAfterDelay } from "../reject-after-delay.ts";
import {
  AddressShareExceeded,
  type BodyAccount,
  BodyBudget,
  type BudgetLimits,
  SMALL_BODY_BYTES,
} from "./body-budget.ts";
import { coalesced, readChunks } from "./chunks.ts";
import { throttleKey } from "./client-address.ts";

const MB = 1024 * 1024;

/** Rejects a body by its `Content-Length`. @throws payloadTooLarge */
export function assertDeclaredLength({ headers }: Request, maxBytes: number): void {
  if (Number(headers.get("content-length") ?? 0) > maxBytes) throw payloadTooLarge();
}

/** Reads request bodies of one kind, with a time limit for each body and a memory limit for all together. */
export class BodyReader {
  private readonly budget: BodyBudget;
  private readonly milliseconds: number;

  constructor({ milliseconds, ...limits }: BudgetLimits & { milliseconds: number }) {
    this.budget = new BodyBudget(limits);
    this.milliseconds = milliseconds;
  }

  /**
   * Reads a body. Rejects it as soon as it is too large: by its `Content-Length`, or while it is read.
   * @param ip the client's IP address, whose share of the memory is limited
   * @throws payloadTooLarge, requestTimeout, serviceUnavailable; tooManyRequests if the IP address has used its
   * share; incompleteBody if the client disconnects
   */
  async read(request: Request, maxBytes: number, ip: string): Promise<Uint8Array> {
    assertDeclaredLength(request, maxBytes);
    const header = request.headers.get("content-length");
    const declaredBytes = header === null ? null : Number(header);
    try {
      return declaredBytes !== null && declaredBytes <= SMALL_BODY_BYTES
        ? await this.readAtOnce(request)
        : await this.readChunks(request, maxBytes, this.budget.open(throttleKey(ip), declaredBytes));
    } catch (error) {
      // A rejected body is no longer in memory, so delaying the response costs little.
      if (error instanceof AddressShareExceeded) return rejectAfterDelay();
      throw error instanceof ApiError ? error : incompleteBody();
    }
  }

  /**
   * Reads a small body with a `Content-Length` in one piece: the runtime reads exactly that many bytes, in half the
   * time of a stream. Such a body does not count towards the memory limit, because every open connection uses about
   * as much memory anyway.
   */
  private async readAtOnce(request: Request): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<ArrayBuffer>();
    const deadline = deadlines.add(performance.now() + this.milliseconds, () => reject(requestTimeout()));
    request.arrayBuffer().then(resolve, reject);
    try {
      return new Uint8Array(await promise);
    } finally {
      deadlines.remove(deadline);
    }
  }

  /**
   * Reads a body in chunks. Only bytes that have arrived count. Otherwise clients that declare large bodies and never
   * send them would lock out the others.
   */
  private async readChunks({ body }: Request, maxBytes: number, account: BodyAccount): Promise<Uint8Array> {
    if (body === null) return new Uint8Array();
    const pieces: Uint8Array[] = [];
    let size = 0;
    const counted = async function* (this: BodyReader) {
      for await (const chunk of readChunks(body, this.milliseconds)) {
        size += chunk.length;
        if (size > maxBytes) throw payloadTooLarge();
        account.add(chunk.length);
        yield chunk;
      }
    };
    try {
      for await (const piece of coalesced(counted.call(this))) pieces.push(piece);
      return Buffer.concat(pieces);
    } finally {
      account.release();
    }
  }
}

const TEN_SECONDS = 10_000;

/**
 * The body readers of an instance, one for each kind of body, so that no kind locks out another. Forms have
 * separate limits.
 */
export const createBodyReaders = () => ({
  json: new BodyReader({
    maxSmallBytes: 8 * MB,
    maxLargeBytes: 56 * MB,
    maxBytesPerAddress: 4 * MB,
    milliseconds: TEN_SECONDS,
  }),
  /** The reader of payment webhooks has no limit per IP address, because the payment provider uses few addresses. */
  raw: new BodyReader({
    maxSmallBytes: MB,
    maxLargeBytes: 32 * MB,
    maxBytesPerAddress: Number.POSITIVE_INFINITY,
    milliseconds: TEN_SECONDS,
  }),
  /** The time limit for receiving a form. It is longer than clients wait for a response. */
  formMilliseconds: 300_000,
});
export type BodyReaders = ReturnType<typeof createBodyReaders>;

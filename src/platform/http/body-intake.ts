import { deadlines } from "../db/deadlines.ts";
import { ApiError, incompleteBody, payloadTooLarge, requestTimeout, serviceUnavailable } from "../errors.ts";
import { chunksOf, gathered } from "./chunks.ts";

const MB = 1024 * 1024;
/** What a connection costs anyway: a body of so few bytes is read at one go, which takes half the time. */
const FEW_BYTES = 4 * 1024;

/** Refuses a body by the length that its headers declare. @throws payloadTooLarge */
export function refuseLarge({ headers }: Request, mostBytes: number): void {
  if (Number(headers.get("content-length") ?? 0) > mostBytes) throw payloadTooLarge();
}

/**
 * How bodies of one kind come in on an instance: within so many milliseconds each, and so many bytes of all of them at
 * once. What counts is what has arrived, or whoever only says that they will send much would keep the others out.
 */
export class BodyIntake {
  private held = 0;

  constructor(private readonly limits: { mostBytesAtOnce: number; milliseconds: number }) {}

  /**
   * The bytes of a body, refused as soon as there are too many, by its declared length or while it is read.
   * @throws payloadTooLarge, requestTimeout, serviceUnavailable; incompleteBody when the client goes away, which is
   * nobody's fault here
   */
  async read(request: Request, mostBytes: number): Promise<Uint8Array> {
    refuseLarge(request, mostBytes);
    const declared = request.headers.get("content-length");
    try {
      return declared !== null && Number(declared) <= FEW_BYTES
        ? await this.readAtOnce(request, Number(declared))
        : await this.readChunks(request, mostBytes);
    } catch (error) {
      throw error instanceof ApiError ? error : incompleteBody();
    }
  }

  /** With a declared length the runtime reads that much and no more. */
  private async readAtOnce(request: Request, bytes: number): Promise<Uint8Array> {
    this.hold(bytes);
    const { promise, resolve, reject } = Promise.withResolvers<ArrayBuffer>();
    const { milliseconds } = this.limits;
    const deadline = deadlines.add(performance.now() + milliseconds, () => reject(requestTimeout()));
    request.arrayBuffer().then(resolve, reject);
    try {
      return new Uint8Array(await promise);
    } finally {
      deadlines.remove(deadline);
      this.held -= bytes;
    }
  }

  private async readChunks({ body }: Request, mostBytes: number): Promise<Uint8Array> {
    if (body === null) return new Uint8Array();
    const pieces: Uint8Array[] = [];
    let size = 0;
    const counted = async function* (this: BodyIntake) {
      for await (const chunk of chunksOf(body, this.limits.milliseconds)) {
        if (size + chunk.length > mostBytes) throw payloadTooLarge();
        this.hold(chunk.length);
        size += chunk.length;
        yield chunk;
      }
    };
    try {
      for await (const piece of gathered(counted.call(this))) pieces.push(piece);
      return Buffer.concat(pieces);
    } finally {
      this.held -= size;
    }
  }

  private hold(bytes: number): void {
    if (this.held + bytes > this.limits.mostBytesAtOnce)
      throw serviceUnavailable(new Error("Too many bodies at once"));
    this.held += bytes;
  }
}

/** The bodies of an instance by their kinds, none of which can keep out another. Forms hold memory by limits of their own. */
export const bodyIntakes = () => ({
  json: new BodyIntake({ mostBytesAtOnce: 64 * MB, milliseconds: 10_000 }),
  raw: new BodyIntake({ mostBytesAtOnce: 32 * MB, milliseconds: 10_000 }),
  /** Longer than any client waits. */
  formMilliseconds: 300_000,
});
export type BodyIntakes = ReturnType<typeof bodyIntakes>;

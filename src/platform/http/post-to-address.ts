import type { IncomingHttpHeaders } from "node:http";
import { ResponseTooLarge } from "./metered-socket.ts";
import { send } from "./send.ts";

export type PostError = "TIMEOUT" | "CONNECTION_FAILED" | "TLS_FAILED";

export type PostResult = {
  status: number | null;
  error: PostError | null;
  headers: IncomingHttpHeaders;
  /** The first bytes of the response body. */
  body: Buffer;
  /** Whether a connection was made, TLS included. */
  isConnected: boolean;
};

type Post = {
  url: URL;
  /** The IP address to connect to. The host name in the URL is never looked up here. */
  address: string;
  headers: Record<string, string>;
  body: Buffer;
  connectMs: number;
  totalMs: number;
  maxResponseBytes: number;
  signal: AbortSignal;
  /** Additional certificates of authorities; used by tests. */
  ca?: string | undefined;
};

/** The maximum number of bytes that a receiver may send in one attempt, headers and framing included. */
const MAX_BYTES = 64 * 1024;

/**
 * Sends a POST to one IP address, and verifies TLS for the host name in the URL. Limits the time, and the bytes read
 * from the response. Never throws.
 */
export async function postToAddress(post: Post): Promise<PostResult> {
  const { connectMs, totalMs, maxResponseBytes, signal, ...request } = post;
  const aborting = new AbortController();
  const abort = () => aborting.abort();
  const connecting = setTimeout(abort, connectMs);
  const whole = setTimeout(abort, totalMs);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  const result: PostResult = {
    status: null,
    error: null,
    headers: {},
    body: Buffer.alloc(0),
    isConnected: false,
  };
  const onConnect = () => {
    result.isConnected = true;
    clearTimeout(connecting);
  };
  try {
    const { status, headers, body } = await send({
      ...request,
      method: "POST",
      signal: aborting.signal,
      maxBytes: MAX_BYTES,
      onConnect,
    });
    Object.assign(result, { status, headers });
    const kept = Buffer.alloc(maxResponseBytes);
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.copy(kept, bytes);
      result.body = kept.subarray(0, bytes);
      if (bytes === maxResponseBytes) break;
    }
  } catch (error) {
    // If the status has arrived, the response counts, even if its body fails, unless the receiver sends too much.
    if (error instanceof ResponseTooLarge) result.status = null;
    if (result.status === null) result.error = aborting.signal.aborted ? "TIMEOUT" : causeOf(error as Error);
  } finally {
    clearTimeout(connecting);
    clearTimeout(whole);
    signal.removeEventListener("abort", abort);
  }
  return result;
}

const TLS_CODES =
  /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|ERR_OSSL|CRL_)/;

function causeOf(error: Error): PostError {
  const isTls = TLS_CODES.test((error as { code?: string }).code ?? "");
  return isTls || /\b(certificate|TLS|SSL)\b/i.test(error.message) ? "TLS_FAILED" : "CONNECTION_FAILED";
}

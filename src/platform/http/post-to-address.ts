import http from "node:http";
import https from "node:https";

export type PostError = "TIMEOUT" | "CONNECTION_FAILED" | "TLS_FAILED";

export type PostResult = {
  status: number | null;
  error: PostError | null;
  headers: http.IncomingHttpHeaders;
  /** The first bytes of the response body. */
  body: Buffer;
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

const MAX_HEADER_BYTES = 16_384;

/**
 * Sends a POST to one IP address, and verifies TLS for the host name in the URL. Does not follow redirects, does
 * not use a proxy from the environment, does not keep the connection and does not decompress. Limits the time, and
 * the bytes read from the response. Never throws.
 */
export function postToAddress(post: Post): Promise<PostResult> {
  const { url, address, headers, body, connectMs, totalMs, maxResponseBytes, signal, ca } = post;
  const { promise, resolve } = Promise.withResolvers<PostResult>();
  const isTls = url.protocol === "https:";
  const name = url.hostname.replace(/^\[|\]$/g, "");
  const options: https.RequestOptions = {
    host: address,
    port: url.port || (isTls ? 443 : 80),
    method: "POST",
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, "content-length": String(body.length), connection: "close" },
    agent: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    ...(isTls && {
      servername: name === address ? "" : name.replace(/\.$/, ""),
      rejectUnauthorized: true,
      ca,
    }),
  };
  let result: PostResult = { status: null, error: null, headers: {}, body: Buffer.alloc(0) };
  let isConnected = false;
  let isDone = false;
  const request = (isTls ? https : http).request(options);
  const finish = (error: PostError | null) => {
    if (isDone) return;
    isDone = true;
    clearTimeout(connecting);
    clearTimeout(whole);
    signal.removeEventListener("abort", onAbort);
    request.destroy();
    // If the status has arrived, the response counts, even if its body fails.
    resolve(result.status === null ? { ...result, error } : result);
  };
  const onAbort = () => finish("TIMEOUT");
  const connecting = setTimeout(() => isConnected || finish("TIMEOUT"), connectMs);
  const whole = setTimeout(() => finish("TIMEOUT"), totalMs);
  signal.addEventListener("abort", onAbort);
  request.on("socket", (socket) => {
    const connected = () => {
      isConnected = true;
    };
    socket.on("connect", connected);
    socket.on("secureConnect", connected);
  });
  request.on("error", (error) => finish(isTlsError(error) ? "TLS_FAILED" : "CONNECTION_FAILED"));
  request.on("response", (response) => {
    isConnected = true;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const keep = () => {
      result = { ...result, body: Buffer.concat(chunks).subarray(0, maxResponseBytes) };
    };
    result = { ...result, status: response.statusCode ?? null, headers: response.headers };
    response.on("data", (chunk: Buffer) => {
      if (isDone) return;
      chunks.push(chunk);
      bytes += chunk.length;
      keep();
      if (bytes >= maxResponseBytes) finish(null);
    });
    response.on("end", () => finish(null));
    response.on("error", () => finish(null));
    response.on("close", () => finish(null));
  });
  request.on("close", () => finish("CONNECTION_FAILED"));
  request.end(body);
  return promise;
}

const TLS_CODES =
  /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|ERR_OSSL|CRL_)/;

const isTlsError = (error: Error): boolean =>
  TLS_CODES.test((error as { code?: string }).code ?? "") || /\b(certificate|TLS|SSL)\b/i.test(error.message);

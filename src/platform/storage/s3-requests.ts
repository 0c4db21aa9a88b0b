import { Readable } from "node:stream";
import type { S3ClientConfig } from "@aws-sdk/client-s3";
import { send } from "../http/send.ts";

/** The maximum size in bytes of a response that is no object: an error, or a page of a list. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Options of one call; the SDK passes those of `S3Client.send` on to its request handler. */
export type CallOptions = { abortSignal: AbortSignal; maxBytes?: number };

/** The parts of the SDK's request that are sent. */
type SdkRequest = {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query: Record<string, string | string[] | null>;
  method: string;
  headers: Record<string, string>;
  body?: Uint8Array | string;
};

/** The SDK's request handler, which limits what the bucket's server sends. The SDK's own one limits nothing. */
export const s3Requests = {
  async handle(request: SdkRequest, { abortSignal, maxBytes = MAX_BYTES }: CallOptions) {
    const { protocol, hostname, port, path, query, method, headers } = request;
    const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`);
    url.search = queryOf(query);
    const options = { url, method, headers, body: request.body, signal: abortSignal, maxBytes };
    const { status, headers: received, body } = await send(options);
    const responseHeaders = Object.fromEntries(
      Object.entries(received).map(([name, value]) => [name, String(value)]),
    );
    return {
      response: {
        statusCode: status,
        headers: responseHeaders,
        body: Readable.from(body, { objectMode: false }),
      },
    };
  },
  updateHttpClientConfig() {},
  httpHandlerConfigs: () => ({}),
} as unknown as NonNullable<S3ClientConfig["requestHandler"]>;

const queryOf = (query: SdkRequest["query"]) =>
  Object.entries(query)
    .flatMap(([name, values]) => [values].flat().map((value) => [name, value ?? ""].map(escaped).join("=")))
    .join("&");

/** Percent-encodes as the signature of AWS requires, which is stricter than `encodeURIComponent`. */
const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

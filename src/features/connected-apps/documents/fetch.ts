import type { App } from "#kit";
import type { Fetch } from "../../../platform/tracing/tracing.ts";
import { AddressNotAllowed } from "./addresses.ts";
import { type Description, parseDocument } from "./parse.ts";

declare module "../../../core/context.ts" {
  interface App {
    /** Fetches documents of apps, only at addresses where they may be. */
    readonly fetchDocument: Fetch;
  }
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 16 * 1024;
/** The maximum size of a response in bytes, headers and framing included. */
export const DOCUMENT_RESPONSE_BYTES = 4 * MAX_BYTES;

const MIN_SECONDS = 5 * 60;
const DEFAULT_SECONDS = 60 * 60;
const MAX_SECONDS = 24 * 60 * 60;

/** Why a document was not read, as the metrics say it. */
export type DocumentFailure = "not_allowed" | "unreachable" | "no_document" | "invalid";
export type Fetched = { description: Description; seconds: number } | { failure: DocumentFailure };

/** Fetches the document at a client id; says for how many seconds it may be used. Never throws, and never while a transaction is open. */
export async function fetchDocument({ config, fetchDocument }: App, url: URL): Promise<Fetched> {
  try {
    const response = await fetchDocument(url, {
      headers: { accept: "application/json", "user-agent": config.oauthUserAgent },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const bytes = await response.arrayBuffer();
    if (response.status !== 200 || !isJson(response) || bytes.byteLength > MAX_BYTES)
      return { failure: "no_document" };
    const description = parseDocument(textOf(bytes), url.href);
    return description === null
      ? { failure: "invalid" }
      : { description, seconds: secondsOf(response.headers.get("cache-control") ?? "") };
  } catch (error) {
    return { failure: error instanceof AddressNotAllowed ? "not_allowed" : "unreachable" };
  }
}

const isJson = ({ headers }: Response): boolean =>
  /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json\s*(?:;|$)/i.test(headers.get("content-type") ?? "");

/** Returns the text of a document; an empty one, which is no JSON, if it is not UTF-8. */
function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "";
  }
}

function secondsOf(cacheControl: string): number {
  const maxAge = /(?:^|[\s,])max-age\s*=\s*"?(\d+)/i.exec(cacheControl)?.[1];
  if (maxAge === undefined) return DEFAULT_SECONDS;
  return Math.min(Math.max(Number(maxAge), MIN_SECONDS), MAX_SECONDS);
}

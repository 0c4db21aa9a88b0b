import { SpanStatusCode, type Tracer } from "@opentelemetry/api";
import type { Mailer } from "../mail/mailer.ts";
import type { Storage } from "../storage/storage.ts";
import { inSpan } from "./spans.ts";
import type { Fetch } from "./tracing.ts";

const CLIENT_ERROR = 400;

/** Adds spans for HTTP calls to providers. A span contains neither the query of the URL nor credentials in it. */
export const tracedFetch =
  (tracer: Tracer, send: Fetch): Fetch =>
  (input, options) => {
    const isRequest = input instanceof Request;
    const url = new URL(isRequest ? input.url : input);
    const method = (options?.method ?? (isRequest ? input.method : "GET")).toUpperCase();
    const attributes = {
      "http.request.method": method,
      "server.address": url.hostname,
      "server.port": Number(url.port) || (url.protocol === "https:" ? 443 : 80),
      "url.full": url.origin + url.pathname,
    };
    return inSpan(tracer, method, { attributes }, async (span) => {
      const response = await send(input, options);
      span?.setAttribute("http.response.status_code", response.status);
      if (response.status >= CLIENT_ERROR) {
        span?.setStatus({ code: SpanStatusCode.ERROR });
        span?.setAttribute("error.type", String(response.status));
      }
      return response;
    });
  };

/** Adds a span for each mail that is passed to the SMTP server. */
export function tracedMailer(mailer: Mailer, tracer: Tracer, server: { host: string; port: number }): Mailer {
  const attributes = {
    "network.protocol.name": "smtp",
    "server.address": server.host,
    "server.port": server.port,
  };
  return {
    send: (mail) => inSpan(tracer, "SMTP send", { attributes }, () => mailer.send(mail)),
    close: () => mailer.close(),
  };
}

/** Adds spans for calls to S3, without object keys. */
export function tracedStorage(storage: Storage, tracer: Tracer, bucket: string): Storage {
  const called = <T>(method: string, work: () => Promise<T>): Promise<T> => {
    const attributes = {
      "rpc.system.name": "aws-api",
      "rpc.method": `S3/${method}`,
      "aws.s3.bucket": bucket,
    };
    return inSpan(tracer, `S3/${method}`, { attributes }, work);
  };
  return {
    put: (key, bytes, contentType) => called("PutObject", () => storage.put(key, bytes, contentType)),
    get: (key, size) => called("GetObject", () => storage.get(key, size)),
    delete: (key) => called("DeleteObject", () => storage.delete(key)),
    check: () => storage.check(),
  };
}

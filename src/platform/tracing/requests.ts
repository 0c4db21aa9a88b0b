import { ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import { pathOf } from "../http/target.ts";
import { contextFrom, runAndEndSpan, withActiveSpan } from "./spans.ts";
import type { Tracing } from "./tracing.ts";

/** The HTTP methods that are recorded in spans. Clients may send arbitrary others. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const SERVER_ERROR = 500;

/**
 * Adds spans for requests. Records only the route of the URL: a path contains ids, and arbitrary text from clients.
 * Health probes get no span. The span ends when the response starts.
 */
export const tracedRequests =
  (tracer: Tracer, scheme: string): Tracing["requests"] =>
  (respond) =>
  (request, context) => {
    if (pathOf(request).startsWith("/api/health/")) return respond(request, context);
    const parent = contextFrom(ROOT_CONTEXT, request.headers.get("traceparent"));
    const isKnown = METHODS.has(request.method);
    const method = isKnown ? request.method : "_OTHER";
    const name = isKnown ? method : "HTTP";
    const started = tracer.startSpan(name, { kind: SpanKind.SERVER }, parent);
    context.traceId = started.spanContext().traceId;
    // If traces are sampled, most requests are not recorded. They only pass the sampling decision on.
    if (!started.isRecording()) return withActiveSpan(started, parent, () => respond(request, context));
    started.setAttribute("http.request.method", method).setAttribute("url.scheme", scheme);
    return runAndEndSpan(started, parent, async (span) => {
      const response = await respond(request, context);
      const { route, code, requestId } = context;
      if (route !== null) span.updateName(`${name} ${route}`).setAttribute("http.route", route);
      span.setAttribute("http.response.status_code", response.status);
      span.setAttribute("http.response.header.x-request-id", [requestId]);
      if (response.status >= SERVER_ERROR) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute("error.type", code ?? String(response.status));
      }
      return response;
    });
  };

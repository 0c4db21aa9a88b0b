import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";

export type SpanOptions = { kind?: SpanKind; attributes?: Attributes };

/** Whether the current request or job is being recorded. Other work, such as that of streams, creates no spans. */
export const isRecorded = (): boolean => trace.getActiveSpan()?.isRecording() === true;

/** Runs `work` in a new span, if the current request or job is recorded. */
export async function inSpan<T>(
  tracer: Tracer,
  name: string,
  { kind = SpanKind.CLIENT, attributes = {} }: SpanOptions,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  return isRecorded()
    ? runAndEndSpan(tracer.startSpan(name, { kind, attributes }), context.active(), work)
    : work(null);
}

/** Runs `work` with this span as the current one, and does not end the span; for spans that are not recorded. */
export const withActiveSpan = <T>(
  span: Span,
  parent: Context,
  work: (span: Span) => Promise<T>,
): Promise<T> => context.with(trace.setSpan(parent, span), work, undefined, span);

/** Runs `work` with this span as the current one, and ends the span. */
export async function runAndEndSpan<T>(
  span: Span,
  parent: Context,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  try {
    return await withActiveSpan(span, parent, work);
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Marks a span as failed. Omits the error's message, which may contain values of rows or addresses. */
export function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute("error.type", typeOf(error));
}

function typeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "_OTHER";
  const { errno, code, name } = error as Record<string, unknown>;
  for (const known of [errno, code, name])
    if (typeof known === "string" && /^\w{1,60}$/.test(known)) return known;
  return "_OTHER";
}

/**
 * Returns the context of a remote parent span, from its `traceparent`; the root context if that is missing or
 * invalid.
 */
export function contextFrom(root: Context, traceparent: string | null): Context {
  const parent = traceparent === null ? null : parseTraceParent(traceparent);
  return parent === null ? root : trace.setSpanContext(root, { ...parent, isRemote: true });
}

/** Returns the `traceparent` of the current span, recorded or not; null if there is none. */
export function currentTraceparent(): string | null {
  const span = trace.getActiveSpan()?.spanContext();
  if (span === undefined) return null;
  const flags = span.traceFlags & TraceFlags.SAMPLED ? "01" : "00";
  return `00-${span.traceId}-${span.spanId}-${flags}`;
}

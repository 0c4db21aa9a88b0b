import { ROOT_CONTEXT, SpanKind, type Tracer } from "@opentelemetry/api";
import type { JobKind } from "../jobs/queue.ts";
import type { JobQueue } from "../jobs/send.ts";
import { contextFrom, currentTraceparent, inSpan, runAndEndSpan } from "./spans.ts";

const attributesOf = (operation: "send" | "process", queue: string) => ({
  "messaging.system": "pg-boss",
  "messaging.operation.type": operation,
  "messaging.operation.name": operation,
  "messaging.destination.name": queue,
});

/**
 * Adds a span for each queued job. The job contains the span's `traceparent`, even if the span is not recorded;
 * then the run of the job is not recorded either.
 */
export const tracedQueue = (queue: JobQueue, tracer: Tracer): JobQueue => ({
  ...queue,
  send: (db, name, payload, about) =>
    inSpan(
      tracer,
      `send ${name}`,
      { kind: SpanKind.PRODUCER, attributes: attributesOf("send", name) },
      () => {
        const traceparent = currentTraceparent();
        return queue.send(db, name, payload, traceparent === null ? about : { ...about, traceparent });
      },
    ),
});

/** Adds a span for each attempt at a job. */
export const tracedKind = <Host>(kind: JobKind<Host>, tracer: Tracer): JobKind<Host> => ({
  ...kind,
  run(host, job) {
    const parent = contextFrom(ROOT_CONTEXT, job.traceparent);
    const attributes = { ...attributesOf("process", kind.queue), "messaging.message.id": job.id };
    const options = { kind: SpanKind.CONSUMER, attributes };
    return runAndEndSpan(tracer.startSpan(`process ${kind.queue}`, options, parent), parent, () =>
      kind.run(host, job),
    );
  },
});

import { context, DiagLogLevel, diag, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { parseKeyPairsIntoRecord, setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { meteredAgent } from "../http/metered-agent.ts";
import type { Logger } from "../log.ts";
import { tracedFetch, tracedMailer, tracedStorage } from "./calls.ts";
import type { TracingConfig } from "./config.ts";
import { tracedDatabase, tracedDriver } from "./database.ts";
import { tracedKind, tracedQueue } from "./jobs.ts";
import { readQueryNames } from "./names.ts";
import { tracedRequests } from "./requests.ts";
import { samplerOf } from "./sampler.ts";
import type { Tracing } from "./tracing.ts";

/** The maximum time that a shutdown waits for the collector. */
const LAST_EXPORT_MS = 2_000;
/**
 * Limits what the collector sends in response to an export, informational responses included: the exporter gives no
 * access to its requests, so they cannot be counted. 10 seconds are the exporter's own timeout.
 */
const COLLECTOR_LIMITS = { maxBytes: 16 * 1024, milliseconds: 10_000 };
/** While a collector is unavailable, one log line per minute says so. */
const BETWEEN_WARNINGS_MS = 60_000;
const MAX_OF_A_MESSAGE = 300;

/**
 * Starts tracing for the process. Spans are exported in batches from a queue of limited size, which drops spans
 * when it is full. The tracer is registered with `@opentelemetry/api`, so that a product's own code can add spans.
 * @param publicUrl the service's own URL; its scheme is that of incoming requests
 */
export async function openTracing(
  { endpoint, headers, serviceName, sampler, ratio }: NonNullable<TracingConfig["tracing"]>,
  publicUrl: string,
  log: Logger,
): Promise<Tracing> {
  const warn = warnThrough(log);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: parseKeyPairsIntoRecord(headers),
    httpAgentOptions: (protocol) => meteredAgent(protocol, COLLECTOR_LIMITS),
  });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes({ "service.name": serviceName })),
    sampler: samplerOf(sampler, ratio),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  trace.setGlobalTracerProvider(provider);
  const tracer = provider.getTracer("service");
  const nameOf = await readQueryNames();
  return {
    requests: tracedRequests(tracer, new URL(publicUrl).protocol.replace(":", "")),
    driver: (driver) => tracedDriver(driver, tracer, nameOf),
    database: (database) => tracedDatabase(database, tracer),
    queue: (queue) => tracedQueue(queue, tracer),
    kind: (kind) => tracedKind(kind, tracer),
    mailer: (mailer, server) => tracedMailer(mailer, tracer, server),
    storage: (storage, bucket) => tracedStorage(storage, tracer, bucket),
    fetch: (send) => tracedFetch(tracer, send),
    async stop() {
      const tooLong = Bun.sleep(LAST_EXPORT_MS).then(() => Promise.reject(new Error("No response in time")));
      await Promise.race([provider.shutdown(), tooLong]).catch(warn);
      trace.disable();
      context.disable();
    },
  };
}

/** Logs what the tracing SDK reports, at most one line a minute: an unavailable collector must not fill the log. */
function warnThrough(log: Logger): (problem: unknown) => void {
  let silentUntil = 0;
  const warn = (problem: unknown) => {
    if (performance.now() < silentUntil) return;
    silentUntil = performance.now() + BETWEEN_WARNINGS_MS;
    const { message, code } = (problem ?? {}) as { message?: unknown; code?: unknown };
    const shown = String(message ?? problem).slice(0, MAX_OF_A_MESSAGE);
    log.warn("spans cannot be exported", { err: { message: shown, code } });
  };
  const ignore = () => {};
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  setGlobalErrorHandler(warn);
  return warn;
}

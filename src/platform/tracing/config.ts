import { z } from "zod";
import { baseUrl, configSection } from "../environment.ts";

const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export type TracingConfig = {
  /** The configuration of tracing; null disables it. */
  tracing: {
    /** The URL of the OTLP receiver; spans are sent to the path `/v1/traces` below it. */
    endpoint: string;
    /** Headers of the export, as `name=value,name=value`; may contain credentials. */
    headers: string;
    serviceName: string;
    sampler: (typeof SAMPLERS)[number];
    /** The share of traces that a ratio sampler records. */
    ratio: number;
  } | null;
};

/**
 * The configuration of tracing, read from OpenTelemetry's own variables. The SDK is loaded only if there is an
 * endpoint.
 */
export const tracingConfig = configSection({
  variables: {
    OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl().optional(),
    OTEL_EXPORTER_OTLP_HEADERS: z
      .string()
      .regex(/^\s*[^=,\s]+=[^,]*(,\s*[^=,\s]+=[^,]*)*$/, "must be name=value, separated by commas")
      .default(""),
    OTEL_SERVICE_NAME: z.string().default("multi-organization-service"),
    OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default("parentbased_always_on"),
    OTEL_TRACES_SAMPLER_ARG: z
      .string()
      .regex(/^(0(\.\d+)?|1(\.0+)?)$/, "must be a number from 0 to 1")
      .transform(Number)
      .default(1),
  },
  secrets: ["OTEL_EXPORTER_OTLP_HEADERS"],
  read: (env): TracingConfig => ({
    tracing:
      env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? null
        : {
            endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, ""),
            headers: env.OTEL_EXPORTER_OTLP_HEADERS,
            serviceName: env.OTEL_SERVICE_NAME,
            sampler: env.OTEL_TRACES_SAMPLER,
            ratio: env.OTEL_TRACES_SAMPLER_ARG,
          },
  }),
});

import { z } from "zod";
import { configSection, integer } from "./environment.ts";

export type MetricsConfig = {
  /** The port of the metrics endpoint; null disables it. */
  metricsPort: number | null;
  /** The local address on which the metrics port is opened. */
  metricsHost: string;
};

/**
 * The configuration of the metrics. It is in a separate file, because the metrics are loaded only when they are
 * enabled.
 */
export const metricsConfig = configSection({
  variables: { METRICS_PORT: integer(0, 65_535).optional(), METRICS_HOST: z.string().optional() },
  check: (raw) =>
    raw.METRICS_PORT && raw.METRICS_PORT !== "0" && raw.METRICS_PORT === (raw.PORT ?? "3000")
      ? ["METRICS_PORT must differ from PORT"]
      : [],
  read: (env, raw): MetricsConfig => ({
    metricsPort: env.METRICS_PORT ?? null,
    metricsHost: env.METRICS_HOST ?? raw.HOST ?? "0.0.0.0",
  }),
});

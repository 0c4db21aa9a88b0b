import { configSection, integer } from "./environment.ts";

export type MetricsConfig = {
  /** Null for no metrics at all. */
  metricsPort: number | null;
};

/** The configuration of the metrics. In a file of its own, because the metrics are loaded only when enabled. */
export const metricsConfig = configSection({
  variables: { METRICS_PORT: integer(0, 65_535).optional() },
  read: (env): MetricsConfig => ({ metricsPort: env.METRICS_PORT ?? null }),
});

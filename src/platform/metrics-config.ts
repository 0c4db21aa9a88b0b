import { configSection, integer } from "./environment.ts";

export type MetricsConfig = {
  /** Null for no metrics at all. */
  metricsPort: number | null;
};

/** The configuration of the metrics. Apart from them, because they are loaded only where they are wanted. */
export const metricsConfig = configSection({
  variables: { METRICS_PORT: integer(0, 65_535).optional() },
  read: (env): MetricsConfig => ({ metricsPort: env.METRICS_PORT ?? null }),
});

import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";
import type { TracingConfig } from "./config.ts";

/**
 * Creates the sampler that `OTEL_TRACES_SAMPLER` names. Samplers that begin with `parentbased_` respect the flag of a
 * `traceparent`.
 */
export function samplerOf(name: NonNullable<TracingConfig["tracing"]>["sampler"], ratio: number): Sampler {
  const rootName = name.replace("parentbased_", "");
  const root =
    rootName === "always_on"
      ? new AlwaysOnSampler()
      : rootName === "always_off"
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return name === rootName ? root : new ParentBasedSampler({ root });
}

import type { Logger } from "../../platform/log.ts";

/**
 * The dependencies of the service. Each check returns true if the dependency works; checks are quick and have a
 * timeout.
 */
export type HealthChecks = Record<"database" | "jobs" | "changeFeed" | "storage", Check> & {
  /** Checks the replica; undefined if no replica is configured. */
  replica?: Check;
};
type Check = () => boolean | Promise<boolean>;
type Name = keyof HealthChecks;
type Outcome = "ok" | "failed";

/**
 * The service is degraded if only the storage is unavailable (everything except images works) or only the replica
 * (the primary then serves the lists). While the service stops, it still serves requests, but readiness fails, so
 * that load balancers send no new requests.
 */
export type Readiness = {
  status: "ok" | "degraded" | "failed" | "stopping";
  checks: Record<Exclude<Name, "replica">, Outcome> & { replica?: Outcome };
};

/**
 * The minimum time between two evaluations of readiness. Readiness is public, so the number of probes must not
 * determine the load.
 */
const BETWEEN_MS = 2_000;
const MAX_CHECK_MS = 3_000;

/**
 * Evaluates readiness on demand if the last result is older than `betweenMs`. Concurrent probes share one
 * evaluation. The cause of a failure is logged when the failure begins, not on every probe.
 */
export function createReadiness(
  checks: HealthChecks,
  {
    log,
    betweenMs = BETWEEN_MS,
    isStopping = () => false,
  }: { log: Logger; betweenMs?: number | undefined; isStopping?: () => boolean },
): () => Promise<Readiness> {
  const failing = new Set<Name>();
  let latest: Promise<Readiness> | null = null;
  let isUnderWay = false;
  let begunAt = 0;

  async function workOut(): Promise<Readiness> {
    const [database, jobs, changeFeed, storage, replica] = await Promise.all([
      outcome("database"),
      outcome("jobs"),
      outcome("changeFeed"),
      outcome("storage"),
      checks.replica && outcome("replica"),
    ]);
    const isFailed = [database, jobs, changeFeed].includes("failed");
    const isDegraded = storage === "failed" || replica === "failed";
    const status = isFailed ? "failed" : isDegraded ? "degraded" : "ok";
    return { status, checks: { database, jobs, changeFeed, storage, ...(replica && { replica }) } };
  }

  async function outcome(name: Name, check = checks[name]): Promise<Outcome> {
    const failure = await failureOf(check);
    if (failure === null) {
      if (failing.delete(name)) log.info("ready again", { check: name });
      return "ok";
    }
    if (!failing.has(name)) log.warn("not ready", { check: name, err: failure });
    failing.add(name);
    return "failed";
  }

  return async () => {
    const readiness = await current();
    return isStopping() ? { ...readiness, status: "stopping" } : readiness;
  };

  function current(): Promise<Readiness> {
    if (latest !== null && (isUnderWay || performance.now() - begunAt < betweenMs)) return latest;
    begunAt = performance.now();
    isUnderWay = true;
    latest = workOut().finally(() => {
      isUnderWay = false;
    });
    return latest;
  }
}

/** Returns the cause if a check of a dependency failed; otherwise null. */
async function failureOf(check: Check = () => true): Promise<unknown> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("No response in time")), MAX_CHECK_MS);
  try {
    return (await Promise.race([check(), late])) ? null : new Error("It does not work");
  } catch (error) {
    return error ?? new Error("It does not work");
  } finally {
    clearTimeout(timer);
  }
}

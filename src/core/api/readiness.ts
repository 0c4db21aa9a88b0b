import type { Logger } from "../../platform/log.ts";

/** What the service needs. Each check answers true when that part works, quickly and within bounds. */
export type HealthChecks = Record<
  "database" | "jobs" | "changeFeed" | "storage",
  () => boolean | Promise<boolean>
>;
type Name = keyof HealthChecks;
type Outcome = "ok" | "failed";

/**
 * Without storage alone the service is degraded: all but images is served. While it stops it still serves, and load
 * balancers are told to send nothing more.
 */
export type Readiness = { status: "ok" | "degraded" | "failed" | "stopping"; checks: Record<Name, Outcome> };

/** Anybody may ask, so the parts are asked no more often than this, however many do. */
const BETWEEN_MS = 2_000;
const MAX_CHECK_MS = 3_000;

/**
 * Works readiness out when it is asked for and the last answer is older than `betweenMs`; all who ask meanwhile share
 * one response. Why a part fails is logged when it begins to, not with every probe.
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
    const [database, jobs, changeFeed, storage] = await Promise.all([
      outcome("database"),
      outcome("jobs"),
      outcome("changeFeed"),
      outcome("storage"),
    ]);
    const isFailed = [database, jobs, changeFeed].includes("failed");
    const status = isFailed ? "failed" : storage === "failed" ? "degraded" : "ok";
    return { status, checks: { database, jobs, changeFeed, storage } };
  }

  async function outcome(name: Name): Promise<Outcome> {
    const failure = await failureOf(checks[name]);
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

/** Why a check fails, or null. */
async function failureOf(check: HealthChecks[Name]): Promise<unknown> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("No answer in time")), MAX_CHECK_MS);
  try {
    return (await Promise.race([check(), late])) ? null : new Error("It does not work");
  } catch (error) {
    return error ?? new Error("It does not work");
  } finally {
    clearTimeout(timer);
  }
}

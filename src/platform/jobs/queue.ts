import { setTimeout } from "node:timers/promises";
import type { PgBoss, Job as PgBossJob } from "pg-boss";
import type { Cipher } from "../crypto.ts";
import { serviceUnavailable } from "../errors.ts";
import type { Logger } from "../log.ts";
import { startBoss } from "./boss.ts";
import { type JobData, type JobQueue, sendJob } from "./send.ts";
import {
  checkEncryptionKeyOfJobs,
  countJobs,
  type FailedJob,
  superviseInterruptedJobs,
} from "./supervise.ts";

/** A job as passed to its handler. */
export interface Job<Payload> {
  id: string;
  payload: Payload;
  /** Whether an earlier attempt at the job has failed. */
  isRetried: boolean;
  /** The id of the request that queued the job, if any. */
  requestId: string | null;
  /** The span that queued the job, if it was traced (W3C Trace Context). */
  traceparent: string | null;
}

/** A kind of job: its queue and handler. Each feature lists its kinds in its jobs.ts. */
export interface JobKind<Host> {
  /** The name of the job's queue: `<feature>.<verb>`. */
  queue: string;
  run(host: Host, job: Job<never>): Promise<void>;
  /** Called when the last attempt has failed, even if the payload could not be decrypted. */
  onFinalFailure?(host: Host, job: FailedJob, error: unknown): void;
  /**
   * How many jobs of this kind an instance runs at once; few by default, because each may need a database connection.
   */
  concurrency?: number;
  /** The schedule as a cron expression, for a scheduled job. */
  schedule?: string;
}

/** How often a failed job is retried. */
export const RETRIES = 5;
const SUPERVISE_SECONDS = 5;
/** Error codes that mean that no server listens at the address, or that there is no route to it. */
const AWAY = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH"]);
const POLL_SECONDS = 0.5;
/** The polling interval of scheduled jobs. Jobs that are scheduled by the minute need no faster polling. */
const SCHEDULED_POLL_SECONDS = 2;
const DEFAULT_CONCURRENCY = 5;
const BETWEEN_ERRORS_MS = 60_000;
/**
 * The pause before the next fetch, in milliseconds per fetched job. So at most a hundred jobs of a kind run per
 * second and instance; otherwise thousands of queued mails would take the CPU from requests. Running jobs one by
 * one instead of in batches would cost twice as much.
 */
const MS_FOR_A_JOB = 10;

type Options<Host> = {
  url: string;
  cipher: Cipher;
  log: Logger;
  /** The kinds of jobs to run; empty for a process that only sends jobs. */
  kinds: JobKind<Host>[];
};

/**
 * Connects to the queue, retrying until it succeeds, and then runs jobs with `host`. A job may run more than once,
 * so handlers must be idempotent if a repetition would do harm.
 */
export function startJobs<Host>({ url, cipher, log, kinds }: Options<Host>, host: () => Host): JobQueue {
  const logError = sparing((err, repeated) => log.error("job queue error", { err, repeated }));
  let boss: PgBoss | null = null;
  let running = false;
  let stopping = false;
  let stopResuming = () => {};
  let asking: Promise<boolean> | null = null;
  const away = Promise.withResolvers<void>();
  const started = start();

  async function start() {
    for (let wait = 500; !stopping; wait = Math.min(wait * 2, 10_000)) {
      try {
        const started = await startBoss({
          url,
          // A process that runs no jobs leaves the scheduling to the processes that do.
          schedule: kinds.length > 0,
          superviseSeconds: SUPERVISE_SECONDS,
          onError: logError,
        });
        if (stopping) {
          await started.stop({ graceful: false });
          return;
        }
        boss = started;
        if (kinds.length > 0) await checkEncryptionKeyOfJobs(started, cipher, log);
        for (const kind of kinds) await work(started, kind);
        stopResuming = superviseInterruptedJobs(started, {
          everySeconds: SUPERVISE_SECONDS,
          onFinalFailure: kinds.length > 0 ? reportFinalFailure : null,
          onError: logError,
        });
        running = true;
        return;
      } catch (error) {
        log.error("job queue cannot start yet", { err: error, retryInSeconds: wait / 1000 });
        if (AWAY.has((error as { code?: string }).code ?? "")) away.resolve();
        await boss?.stop({ graceful: false }).catch(() => {});
        boss = null;
        await setTimeout(wait);
      }
    }
  }

  function work(boss: PgBoss, kind: JobKind<Host>) {
    const options = {
      batchSize: kind.concurrency ?? DEFAULT_CONCURRENCY,
      pollingIntervalSeconds: kind.schedule === undefined ? POLL_SECONDS : SCHEDULED_POLL_SECONDS,
      burstWhenBatchFull: true,
      perJobResults: true,
    } as const;
    return boss.work<JobData, void, typeof options>(kind.queue, options, async (jobs) => {
      const pause = setTimeout(jobs.length * MS_FOR_A_JOB);
      const results = await Promise.all(jobs.map((job) => runOne(boss, kind, job)));
      await pause;
      return results;
    });
  }

  async function runOne(boss: PgBoss, kind: JobKind<Host>, job: PgBossJob<JobData>) {
    const { requestId = null, traceparent } = job.data ?? {};
    const about = {
      queue: kind.queue,
      jobId: job.id,
      requestId: requestId ?? undefined,
      traceId: traceparent?.split("-")[1],
    };
    const started = performance.now();
    try {
      await runJob(kind, host(), cipher, { ...job, retryLimit: RETRIES });
    } catch (error) {
      log.warn("job failed", { ...about, err: error, attempt: job.retryCount + 1 });
      // A failed job stores only error codes, because the message of an SMTP server may contain the recipient.
      const { code, name, responseCode } = error as { code?: string; name: string; responseCode?: number };
      return { id: job.id, status: "failed" as const, output: { error: code ?? name, responseCode } };
    }
    log.info("job done", { ...about, ms: Math.round(performance.now() - started) });
    // Marks the job as completed at once, and not with the rest of its batch. If the process crashes while another
    // job of the batch hangs, this job must not run again. If marking fails, the job is completed again with the
    // batch.
    await boss.complete(kind.queue, job.id).catch(logError);
    return { id: job.id, status: "completed" as const };
  }

  /** Reports a job whose worker was killed during the last attempt, because the worker could not report the failure. */
  function reportFinalFailure(job: FailedJob) {
    const kind = kinds.find(({ queue }) => queue === job.queue);
    kind?.onFinalFailure?.(host(), job, new Error("The worker ended during the attempt"));
  }

  async function ask(): Promise<boolean> {
    const version = await boss?.schemaVersion().catch(() => null);
    return typeof version === "number";
  }

  return {
    async send(db, queue, payload, about) {
      if (!running) throw serviceUnavailable(new Error("The job queue has not started"));
      await sendJob(db, queue, cipher, payload, about);
    },
    async isReachable() {
      if (!running) return false;
      // Readiness probes share one query, so that they do not pile up while the queue does not respond.
      asking ??= ask().finally(() => {
        asking = null;
      });
      return asking;
    },
    async counts() {
      if (boss === null) throw new Error("The job queue has not started");
      return countJobs(boss);
    },
    whenRunning: () => started,
    whenRunningOrUnreachable: () => Promise.race([started, away.promise]),
    async stop() {
      stopping = true;
      running = false;
      stopResuming();
      await boss?.stop({ graceful: true, timeout: 5_000 }).catch(() => {});
    },
  };
}

/**
 * Logs the first error, and then one line a minute with the number of further errors: without its database the
 * queue reports several errors each second.
 */
function sparing(report: (error: unknown, repeated: number | undefined) => void): (error: unknown) => void {
  let silentUntil = Number.NEGATIVE_INFINITY;
  let repeated = 0;
  return (error) => {
    if (performance.now() < silentUntil) {
      repeated += 1;
      return;
    }
    report(error, repeated || undefined);
    silentUntil = performance.now() + BETWEEN_ERRORS_MS;
    repeated = 0;
  };
}

/** Runs one job that was fetched from the queue. */
export async function runJob<Host>(
  kind: JobKind<Host>,
  host: Host,
  cipher: Cipher,
  job: { id: string; data: JobData | null; retryCount: number; retryLimit: number },
): Promise<void> {
  const requestId = job.data?.requestId ?? null;
  try {
    const payload = job.data?.sealed === undefined ? null : cipher.decrypt(job.data.sealed);
    await kind.run(host, {
      id: job.id,
      payload: payload as never,
      isRetried: job.retryCount > 0,
      requestId,
      traceparent: job.data?.traceparent ?? null,
    });
  } catch (error) {
    // A job that was retried manually after its final failure has been reported already.
    if (job.retryCount === job.retryLimit)
      kind.onFinalFailure?.(
        host,
        { id: job.id, queue: kind.queue, label: job.data?.label ?? "unknown", requestId },
        error,
      );
    throw error;
  }
}

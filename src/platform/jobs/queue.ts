import { setTimeout } from "node:timers/promises";
import type { PgBoss, Job as PgBossJob } from "pg-boss";
import { type Cipher, createCipher } from "../crypto.ts";
import type { Queryable } from "../db/prepared-query.ts";
import { serviceUnavailable } from "../errors.ts";
import type { Logger } from "../log.ts";
import { startBoss } from "./boss.ts";
import { checkEncryptionKeyOfJobs } from "./check-encryption-key.ts";
import { gatherCompletions } from "./complete.ts";
import type { JobsConfig } from "./config.ts";
import { countJobs, type QueueCounts } from "./counts.ts";
import { insertJob } from "./insert.ts";
import { lookAfterInterruptedJobs } from "./resume.ts";

/** A job as its work sees it. */
export interface Job<Payload> {
  id: string;
  payload: Payload;
  /** Whether an attempt was made before. */
  isRetried: boolean;
  /** Of the request that caused it, if one did. */
  requestId: string | null;
}

/** A kind of job: its queue, and what to do. A feature lists its kinds in its jobs.ts. */
export interface JobKind<Host> {
  /** `<feature>.<verb>` */
  queue: string;
  run(host: Host, job: Job<never>): Promise<void>;
  /** Told when the last attempt has failed, be it that the payload could not be opened. */
  gaveUp?(host: Host, job: FailedJob, error: unknown): void;
  /** How many an instance takes at once; few, where left out, for each may need a connection to the database. */
  atOnce?: number;
  /** A cron expression, for a job that comes by itself. */
  schedule?: string;
}

/** A job whose last attempt has failed: its queue, its label and the request that caused it. */
export type FailedJob = { id: string; queue: string; label: string; requestId: string | null };

/** What is stored of a job beside its payload, in the clear. It names no person. */
type About = { label?: string; requestId?: string | null };

/** The queue that all instances share. */
export interface JobQueue {
  /**
   * Adds a job in the transaction of `db`. The payload is encrypted, because payloads carry links; what is said
   * about it is not, so that whoever cannot open the payload can still say what it was, and where it came from.
   */
  send(db: Queryable, queue: string, payload: unknown, about?: About): Promise<void>;
  /** Whether the queue was started, and its own connections get through to it now. */
  isReachable(): Promise<boolean>;
  /** What waits, is at work and has failed, by queue. @throws where the queue does not answer */
  counts(): Promise<QueueCounts[]>;
  /** Settles once the queue could be reached. */
  untilRunning(): Promise<void>;
  stop(): Promise<void>;
}

/** How often a job is tried again after it failed. */
export const RETRIES = 5;
const LOOK_AFTER_JOBS_SECONDS = 5;
const POLL_SECONDS = 0.5;
/** What comes by a schedule of minutes is in no hurry. */
const SCHEDULED_POLL_SECONDS = 2;
const JOBS_AT_ONCE = 5;
/**
 * Until the next are fetched: a hundred jobs of a kind a second and instance. Thousands of queued mails would otherwise
 * take the processor from requests; one after the other, instead of many at a time, each would cost twice as much.
 */
const MS_FOR_A_JOB = 10;

type Options<Host> = {
  url: string;
  cipher: Cipher;
  log: Logger;
  /** The jobs to do; none for a process that only sends. */
  kinds: JobKind<Host>[];
};

/**
 * Connects to the queue, again and again until it works, and then does jobs with `host`. Delivery is at least
 * once: work that must not happen twice has to notice.
 */
export function startJobs<Host>({ url, cipher, log, kinds }: Options<Host>, host: () => Host): JobQueue {
  const logError = (error: unknown) => log.error("job queue error", { err: error });
  let boss: PgBoss | null = null;
  let running = false;
  let stopping = false;
  let stopResuming = () => {};
  let asking: Promise<boolean> | null = null;
  const started = start();

  async function start() {
    for (let wait = 500; !stopping; wait = Math.min(wait * 2, 10_000)) {
      try {
        const started = await startBoss({
          url,
          // What only sends leaves it to the others to see that scheduled jobs come.
          schedule: kinds.length > 0,
          lookAfterJobsSeconds: LOOK_AFTER_JOBS_SECONDS,
          onError: logError,
        });
        if (stopping) {
          await started.stop({ graceful: false });
          return;
        }
        boss = started;
        if (kinds.length > 0) await checkEncryptionKeyOfJobs(started, cipher, log);
        for (const kind of kinds) await work(started, kind);
        stopResuming = lookAfterInterruptedJobs(started, {
          everySeconds: LOOK_AFTER_JOBS_SECONDS,
          onGivenUp: kinds.length > 0 ? tellGivenUp : null,
          onError: logError,
        });
        running = true;
        return;
      } catch (error) {
        log.error("job queue cannot start yet", { err: error });
        await boss?.stop({ graceful: false }).catch(() => {});
        boss = null;
        await setTimeout(wait);
      }
    }
  }

  function work(boss: PgBoss, kind: JobKind<Host>) {
    const options = {
      batchSize: kind.atOnce ?? JOBS_AT_ONCE,
      pollingIntervalSeconds: kind.schedule === undefined ? POLL_SECONDS : SCHEDULED_POLL_SECONDS,
      burstWhenBatchFull: true,
      perJobResults: true,
    } as const;
    const complete = gatherCompletions((ids) => boss.complete(kind.queue, ids));
    return boss.work<JobData, void, typeof options>(kind.queue, options, async (jobs) => {
      const pause = setTimeout(jobs.length * MS_FOR_A_JOB);
      const results = await Promise.all(jobs.map((job) => runOne(kind, job, complete)));
      await pause;
      return results;
    });
  }

  async function runOne(
    kind: JobKind<Host>,
    job: PgBossJob<JobData>,
    complete: (id: string) => Promise<void>,
  ) {
    const about = { queue: kind.queue, jobId: job.id, requestId: job.data?.requestId ?? undefined };
    const started = performance.now();
    try {
      await runJob(kind, host(), cipher, { ...job, retryLimit: RETRIES });
    } catch (error) {
      log.warn("job failed", { ...about, err: error, attempt: job.retryCount + 1 });
      // Only the code is kept: the words of an SMTP server may name the recipient.
      const { code, name, responseCode } = error as { code?: string; name: string; responseCode?: number };
      return { id: job.id, status: "failed" as const, output: { error: code ?? name, responseCode } };
    }
    log.info("job done", { ...about, ms: Math.round(performance.now() - started) });
    // At once, not with the rest of its batch: a crash while another one hangs must not repeat this one. Where that does
    // not get through, it is said once more with the batch.
    await complete(job.id).catch(logError);
    return { id: job.id, status: "completed" as const };
  }

  /** A worker that was killed in the last attempt could not say so itself. */
  function tellGivenUp(job: FailedJob) {
    const kind = kinds.find(({ queue }) => queue === job.queue);
    kind?.gaveUp?.(host(), job, new Error("The worker ended during the attempt"));
  }

  const ask = async () => {
    const version = await boss?.schemaVersion().catch(() => null);
    return typeof version === "number";
  };

  return {
    async send(db, queue, payload, about) {
      if (!running) throw serviceUnavailable(new Error("The job queue has not started"));
      const data: JobData = { sealed: cipher.encrypt(payload), ...about };
      await insertJob(db, queue, data);
    },
    async isReachable() {
      if (!running) return false;
      // One question at a time: while the queue does not answer, probes must not pile up.
      asking ??= ask().finally(() => {
        asking = null;
      });
      return asking;
    },
    async counts() {
      if (boss === null) throw new Error("The job queue has not started");
      return countJobs(boss);
    },
    untilRunning: () => started,
    async stop() {
      stopping = true;
      running = false;
      stopResuming();
      await boss?.stop({ graceful: true, timeout: 5_000 }).catch(() => {});
    },
  };
}

/** What the queue stores of a job. One that comes by itself has nothing. */
export type JobData = { sealed?: string } & About;

/** Encrypts the payloads of jobs. */
export const jobsCipher = ({ jobsKey, jobsKeyPrevious }: JobsConfig): Cipher =>
  createCipher(jobsKey, "jobs", jobsKeyPrevious);

/** Runs one job that was taken from the queue. */
export async function runJob<Host>(
  kind: JobKind<Host>,
  host: Host,
  cipher: Cipher,
  job: { id: string; data: JobData | null; retryCount: number; retryLimit: number },
): Promise<void> {
  const requestId = job.data?.requestId ?? null;
  try {
    const payload = job.data?.sealed === undefined ? null : cipher.decrypt(job.data.sealed);
    await kind.run(host, { id: job.id, payload: payload as never, isRetried: job.retryCount > 0, requestId });
  } catch (error) {
    // Attempts beyond the limit were asked for by somebody who knows.
    if (job.retryCount === job.retryLimit)
      kind.gaveUp?.(
        host,
        { id: job.id, queue: kind.queue, label: job.data?.label ?? "unknown", requestId },
        error,
      );
    throw error;
  }
}

import { setTimeout } from "node:timers/promises";
import { PgBoss, type Job as PgBossJob } from "pg-boss";
import { type Cipher, createCipher } from "../crypto.ts";
import type { Queryable } from "../db/prepared-query.ts";
import { serviceUnavailable } from "../errors.ts";
import type { Logger } from "../log.ts";
import { checkEncryptionKeyOfJobs } from "./check-encryption-key.ts";
import { batchCompletions } from "./complete.ts";
import { insertJob } from "./insert.ts";
import { resumeInterruptedJobs } from "./resume.ts";
import { indexUnfinishedJobs } from "./unfinished-jobs.ts";

/** A job as its handler gets it. */
export interface Job<Payload> {
  id: string;
  payload: Payload;
}

/** A kind of job: its queue and handler. A feature lists its kinds in its jobs.ts. */
export interface JobKind<Host> {
  /** `<feature>.<verb>` */
  queue: string;
  run(host: Host, job: Job<never>): Promise<void>;
  /** Called when the last attempt has failed, even if the payload could not be decrypted. */
  onFinalFailure?(host: Host, job: { id: string; label: string }, error: unknown): void;
  /** How many an instance runs at once; few by default, because each may need a database connection. */
  concurrency?: number;
  /** A cron expression, for a scheduled job. */
  schedule?: string;
}

/** The queue that all instances share. */
export interface JobQueue {
  /**
   * Adds a job in the transaction of `db`. The payload is encrypted, because payloads carry links; `label` is not,
   * so that a job with an undecryptable payload can still be identified. It contains no personal data.
   */
  send(db: Queryable, queue: string, payload: unknown, label?: string): Promise<void>;
  /** Whether the queue was started and its connections work now. */
  isReachable(): Promise<boolean>;
  /** Resolves once the queue could be reached. */
  untilRunning(): Promise<void>;
  stop(): Promise<void>;
}

const RETRIES = 5;
const FIRST_RETRY_SECONDS = 30;
const KEPT_SECONDS = 7 * 24 * 3600;
/** A job whose worker was killed is noticed after its heartbeat was missed, by the next look: in 10 to 20 seconds. */
const HEARTBEAT_SECONDS = 10;
const SUPERVISE_SECONDS = 5;
const POLL_SECONDS = 0.5;
/** Jobs that are scheduled by the minute can wait. */
const SCHEDULED_POLL_SECONDS = 2;
const DEFAULT_CONCURRENCY = 5;
/**
 * The pause before the next fetch: at most a hundred jobs of a kind per second and instance. Thousands of queued mails
 * would otherwise take the CPU from requests; running them one by one instead of in batches would cost twice as much.
 */
const MS_FOR_A_JOB = 10;

/** Detects a peer that vanished, by keep-alive probes between statements and by a timeout within one. */
const pool = (url: string, longestQueryMs = 30_000) => ({
  connectionString: url,
  schema: "pgboss",
  max: 2,
  application_name: "jobs",
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  query_timeout: longestQueryMs,
});

/** Migrates the queue's own schema and creates the queues. Part of `bun run migrate`. */
export async function migrateJobs<Host>(databaseUrl: string, kinds: JobKind<Host>[]): Promise<void> {
  // Its migrations may take long on a large queue, and wait for those of another instance.
  const boss = new PgBoss({ ...pool(databaseUrl, 0), supervise: false, schedule: false });
  boss.on("error", () => {});
  await boss.start();
  try {
    for (const { queue, schedule } of kinds) {
      const options = {
        retryLimit: RETRIES,
        retryDelay: FIRST_RETRY_SECONDS,
        retryBackoff: true,
        heartbeatSeconds: HEARTBEAT_SECONDS,
        deleteAfterSeconds: KEPT_SECONDS,
      };
      if (await boss.getQueue(queue)) await boss.updateQueue(queue, options);
      else await boss.createQueue(queue, options);
      if (schedule !== undefined) await boss.schedule(queue, schedule);
    }
    await indexUnfinishedJobs(boss);
  } finally {
    await boss.stop({ graceful: false });
  }
}

type Options<Host> = {
  url: string;
  key: string;
  log: Logger;
  /** The kinds to run; none for a process that only sends. */
  kinds: JobKind<Host>[];
};

/**
 * Connects to the queue, retrying until it works, and then runs jobs with `host`. Delivery is at least once, so
 * handlers must be idempotent where a repetition would do harm.
 */
export function startJobs<Host>({ url, key, log, kinds }: Options<Host>, host: () => Host): JobQueue {
  const cipher = jobsCipher(key);
  const boss = new PgBoss({
    ...pool(url),
    migrate: false,
    createSchema: false,
    // A process that only sends leaves scheduling to the others.
    schedule: kinds.length > 0,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
  });
  const logError = (error: unknown) => log.error("job queue error", { err: error });
  boss.on("error", logError);
  let running = false;
  let stopping = false;
  let stopResuming = () => {};
  let asking: Promise<boolean> | null = null;
  const started = start();

  async function start() {
    for (let wait = 500; !stopping; wait = Math.min(wait * 2, 10_000)) {
      try {
        await boss.start();
        if (stopping) return;
        if (kinds.length > 0) await checkEncryptionKeyOfJobs(boss, cipher, log);
        for (const kind of kinds) await work(kind);
        stopResuming = resumeInterruptedJobs(boss, SUPERVISE_SECONDS, logError);
        running = true;
        return;
      } catch (error) {
        log.error("job queue cannot start yet", { err: error });
        await boss.stop({ graceful: false }).catch(() => {});
        await setTimeout(wait);
      }
    }
  }

  function work(kind: JobKind<Host>) {
    const options = {
      batchSize: kind.concurrency ?? DEFAULT_CONCURRENCY,
      pollingIntervalSeconds: kind.schedule === undefined ? POLL_SECONDS : SCHEDULED_POLL_SECONDS,
      burstWhenBatchFull: true,
      perJobResults: true,
    } as const;
    const complete = batchCompletions((ids) => boss.complete(kind.queue, ids));
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
    try {
      await runJob(kind, host(), cipher, { ...job, retryLimit: RETRIES });
    } catch (error) {
      log.warn("job failed", { err: error, jobId: job.id, queue: kind.queue, attempt: job.retryCount + 1 });
      // Only the code is stored: the message of an SMTP server may contain the recipient.
      const { code, name } = error as { code?: string; name: string };
      return { id: job.id, status: "failed" as const, output: { error: code ?? name } };
    }
    // At once, not with the rest of its batch: a crash while another job hangs must not repeat this one. If that fails, it
    // is completed again with the batch.
    await complete(job.id).catch(logError);
    return { id: job.id, status: "completed" as const };
  }

  const ask = () =>
    boss.schemaVersion().then(
      (version) => version !== null,
      () => false,
    );

  return {
    async send(db, queue, payload, label) {
      if (!running) throw serviceUnavailable(new Error("The job queue has not started"));
      const data: JobData = { sealed: cipher.encrypt(payload), ...(label !== undefined && { label }) };
      await insertJob(db, queue, data);
    },
    async isReachable() {
      if (!running) return false;
      // One query at a time: while the queue does not respond, probes must not pile up.
      asking ??= ask().finally(() => {
        asking = null;
      });
      return asking;
    },
    untilRunning: () => started,
    async stop() {
      stopping = true;
      running = false;
      stopResuming();
      await boss.stop({ graceful: true, timeout: 5_000 }).catch(() => {});
    },
  };
}

/** The stored data of a job; empty for a scheduled job. */
type JobData = { sealed?: string; label?: string };

/** Encrypts the payloads of jobs. */
export const jobsCipher = (key: string): Cipher => createCipher(key, "jobs");

/** Runs one job fetched from the queue. */
export async function runJob<Host>(
  kind: JobKind<Host>,
  host: Host,
  cipher: Cipher,
  job: { id: string; data: JobData | null; retryCount: number; retryLimit: number },
): Promise<void> {
  try {
    const payload = job.data?.sealed === undefined ? null : cipher.decrypt(job.data.sealed);
    await kind.run(host, { id: job.id, payload: payload as never });
  } catch (error) {
    if (job.retryCount >= job.retryLimit)
      kind.onFinalFailure?.(host, { id: job.id, label: job.data?.label ?? "unknown" }, error);
    throw error;
  }
}

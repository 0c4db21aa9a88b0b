import { type Cipher, createCipher } from "../crypto.ts";
import type { Queryable } from "../db/prepared-query.ts";
import type { JobsConfig } from "./config.ts";
import { INSERT_JOB } from "./pgboss-tables.ts";
import type { QueueCounts } from "./supervise.ts";

/** Unencrypted data that is stored with a job. It must not contain personal data. */
type About = { label?: string; requestId?: string | null; traceparent?: string };

/** The stored data of a job; empty for a scheduled job. `sealed` is the ciphertext of the payload; stored jobs have this name. */
export type JobData = { sealed?: string } & About;

/** The queue that all instances share. */
export interface JobQueue {
  /**
   * Adds a job in the transaction of `db`. The payload is encrypted, because payloads contain links. `about` is not
   * encrypted, so that a job whose payload cannot be decrypted can still be identified. It must not contain
   * personal data.
   */
  send(db: Queryable, queue: string, payload: unknown, about?: About): Promise<void>;
  /** Whether the queue was started and its connections work now. */
  isReachable(): Promise<boolean>;
  /** Counts unfinished and failed jobs by queue and state. @throws if the queue does not respond */
  counts(): Promise<QueueCounts[]>;
  /** Resolves once the queue has been reached. */
  whenRunning(): Promise<void>;
  /** Resolves when the queue runs, or when its server refuses connections, because waiting does not help then. */
  whenRunningOrUnreachable(): Promise<void>;
  stop(): Promise<void>;
}

/** Returns the cipher that encrypts the payloads of jobs. */
export const jobsCipher = ({ jobsKey, jobsKeyPrevious }: JobsConfig): Cipher =>
  createCipher(jobsKey, "jobs", jobsKeyPrevious);

/** Adds a job in the transaction of `db`, as `JobQueue.send` does. */
export async function sendJob(
  db: Queryable,
  queue: string,
  cipher: Cipher,
  payload: unknown,
  about?: About,
): Promise<void> {
  await insertJob(db, queue, { sealed: cipher.encrypt(payload), ...about });
}

/** Adds a job to a queue, with its data as they are stored. */
export async function insertJob(db: Queryable, queue: string, data: JobData): Promise<void> {
  await db.query(INSERT_JOB, [queue, JSON.stringify(data)]);
}

/** Creates a queue without connections: it only adds jobs, and other instances run them. */
export const sendingQueue = (cipher: Cipher): JobQueue => ({
  send: (db, queue, payload, about) => sendJob(db, queue, cipher, payload, about),
  // A process that only sends jobs uses the service's database connections, which have a health check already.
  isReachable: async () => true,
  counts: () => Promise.reject(new Error("Only instances that run jobs count them")),
  whenRunning: async () => {},
  whenRunningOrUnreachable: async () => {},
  stop: async () => {},
});

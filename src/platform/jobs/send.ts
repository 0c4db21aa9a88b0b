import { type Cipher, createCipher } from "../crypto.ts";
import type { Queryable } from "../db/prepared-query.ts";
import type { JobsConfig } from "./config.ts";
import type { QueueCounts } from "./counts.ts";
import { insertJob } from "./insert.ts";

/** Stored with a job unencrypted. It contains no personal data. */
type About = { label?: string; requestId?: string | null; traceparent?: string };

/** The stored data of a job; empty for a scheduled job. */
export type JobData = { sealed?: string } & About;

/** The queue that all instances share. */
export interface JobQueue {
  /**
   * Adds a job in the transaction of `db`. The payload is encrypted, because payloads carry links; `about` is not,
   * so that a job with an undecryptable payload can still be identified. It contains no personal data.
   */
  send(db: Queryable, queue: string, payload: unknown, about?: About): Promise<void>;
  /** Whether the queue was started and its connections work now. */
  isReachable(): Promise<boolean>;
  /** Counts unfinished and failed jobs by queue and state. @throws if the queue does not respond */
  counts(): Promise<QueueCounts[]>;
  /** Resolves once the queue could be reached. */
  untilRunning(): Promise<void>;
  /** Resolves once the queue runs, or nothing listens at its address: then waiting is of no use for now. */
  untilRunningOrAway(): Promise<void>;
  stop(): Promise<void>;
}

/** Encrypts the payloads of jobs. */
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
  const data: JobData = { sealed: cipher.encrypt(payload), ...about };
  await insertJob(db, queue, data);
}

/** A queue without connections of its own: it only adds jobs, and other instances run them. */
export const sendingQueue = (cipher: Cipher): JobQueue => ({
  send: (db, queue, payload, about) => sendJob(db, queue, cipher, payload, about),
  // Whoever can send can reach the database, which is checked by itself.
  isReachable: async () => true,
  counts: () => Promise.reject(new Error("Only instances that run jobs count them")),
  untilRunning: async () => {},
  untilRunningOrAway: async () => {},
  stop: async () => {},
});

import type { Config } from "../../core/config.ts";
import type { Service } from "../../core/context.ts";
import type { StreamOptions, Streams } from "../../features/notifications/streams.ts";
import type { Database, DatabaseOptions } from "../../platform/db/connection.ts";
import type { FindAddresses } from "../../platform/http/bounded-fetch.ts";
import type { ResolveTxt } from "../../platform/http/dns/resolve-txt.ts";
import type { ImageCleaner } from "../../platform/images/cleaner.ts";
import type { JobQueue } from "../../platform/jobs/send.ts";
import type { Logger } from "../../platform/log.ts";
import type { LogOutput } from "../../platform/log-output.ts";
import type { Mailer } from "../../platform/mail/mailer.ts";
import type { Argon2Engine } from "../../platform/passwords/argon2.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import type { Fetch, Tracing } from "../../platform/tracing/tracing.ts";

/** The parts of the service that depend on the runtime: Bun, or a platform with web standards only. */
export interface Runtime {
  openDatabase(
    options: Omit<DatabaseOptions, "driver" | "applicationName"> & { tracing: Tracing | null },
  ): Database;
  /** Starts the job queue. With `runJobs: false`, other instances run the jobs. */
  openQueue(
    options: { config: Config; log: Logger; runJobs: boolean; tracing: Tracing | null },
    service: () => Service,
  ): JobQueue;
  openStorage(config: Config["storage"], db: Database): Promise<Storage>;
  openStreams(options: StreamOptions): Streams;
  loadEngine(): Promise<Argon2Engine>;
  /** The maximum number of passwords that are hashed at once. */
  readonly hashConcurrency: number;
  /** Whether a timer that a request started continues after the response. */
  readonly timersOutliveRequests: boolean;
  openLog(): LogOutput;
  /**
   * Returns a `fetch` for calls to providers, whose responses are limited to `maxBytes`. `findAddresses` limits where it
   * connects to; a runtime without sockets leaves this to its platform.
   */
  boundedFetch(maxBytes: number, findAddresses?: FindAddresses): Fetch;
  createMailer(config: Config["mail"]): Mailer;
  createImageCleaner(): ImageCleaner;
  /** Returns a function that asks DNS for TXT records. */
  createTxtResolver(config: Config): ResolveTxt;
}

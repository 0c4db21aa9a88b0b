import { createStreams } from "../../features/notifications/streams.ts";
import { connect } from "../../platform/db/connection.ts";
import { bunDriver } from "../../platform/db/drivers/bun.ts";
import { createImageCleaner, inWorker } from "../../platform/images/cleaner.ts";
import { startJobs } from "../../platform/jobs/queue.ts";
import { jobsCipher } from "../../platform/jobs/send.ts";
import { standardOutput } from "../../platform/log-output.ts";
import { lazyMailer } from "../../platform/mail/mailer.ts";
import { loadEngine } from "../../platform/passwords/engine.ts";
import { hashConcurrency } from "../../platform/passwords/priority.ts";
import { openStorage } from "../../platform/storage/open.ts";
import { jobKinds } from "../jobs.ts";
import type { Runtime } from "./runtime.ts";

/** The runtime with everything that the service can do. */
export const bunRuntime: Runtime = {
  openDatabase: (options) => connect({ ...options, applicationName: "api", driver: bunDriver }),
  openQueue: ({ config, log, runJobs }, host) =>
    startJobs(
      { url: config.database.url, cipher: jobsCipher(config), log, kinds: runJobs ? jobKinds : [] },
      host,
    ),
  openStorage,
  openStreams: createStreams,
  loadEngine,
  hashConcurrency: hashConcurrency(),
  openLog: standardOutput,
  createMailer: (config) =>
    lazyMailer(async () => (await import("../../platform/mail/smtp.ts")).smtpMailer(config)),
  createImageCleaner: () => createImageCleaner(inWorker()),
};

import { createStreams } from "../../features/notifications/streams.ts";
import { connect } from "../../platform/db/connection.ts";
import { bunDriver } from "../../platform/db/drivers/bun.ts";
import { boundedFetch } from "../../platform/http/bounded-fetch.ts";
import { txtResolver } from "../../platform/http/dns/resolve-txt.ts";
import { createImageCleaner, inWorker } from "../../platform/images/cleaner.ts";
import { startJobs } from "../../platform/jobs/queue.ts";
import { jobsCipher } from "../../platform/jobs/send.ts";
import { standardOutput } from "../../platform/log-output.ts";
import { lazyMailer } from "../../platform/mail/mailer.ts";
import { hashConcurrency } from "../../platform/passwords/priority.ts";
import { loadEngine } from "../../platform/passwords/threads.ts";
import { BUCKET_REMEMBERED_MS, markedStorage } from "../../platform/storage/marked.ts";
import { openStorage } from "../../platform/storage/open.ts";
import { jobKinds } from "../jobs.ts";
import { markerRecord } from "../storage-marker.ts";
import type { Runtime } from "./runtime.ts";

/** Creates the runtime for Bun, which supports all features of the service. */
export const bunRuntime: Runtime = {
  openDatabase({ tracing, ...options }) {
    const driver = tracing?.driver(bunDriver) ?? bunDriver;
    const database = connect({ ...options, applicationName: "api", driver });
    return tracing?.database(database) ?? database;
  },
  openQueue({ config, log, runJobs, tracing }, service) {
    const kinds = tracing === null ? jobKinds : jobKinds.map((kind) => tracing.kind(kind));
    const { url } = config.database;
    const queue = startJobs({ url, cipher: jobsCipher(config), log, kinds: runJobs ? kinds : [] }, service);
    return tracing?.queue(queue) ?? queue;
  },
  async openStorage(config, db) {
    const storage = await openStorage(config);
    // A temporary folder may be deleted at any time, so it is created again.
    if (config.driver === "local" && config.directory === null) return storage;
    const rememberMs = config.driver === "local" ? 0 : BUCKET_REMEMBERED_MS;
    return markedStorage(storage, markerRecord(db, db.writes), { rememberMs });
  },
  openStreams: createStreams,
  loadEngine,
  hashConcurrency: hashConcurrency(),
  timersOutliveRequests: true,
  openLog: standardOutput,
  boundedFetch,
  createMailer: (config) =>
    lazyMailer(async () => (await import("../../platform/mail/smtp.ts")).smtpMailer(config)),
  createImageCleaner: () => createImageCleaner(inWorker()),
  createTxtResolver: ({ dnsServers }) => txtResolver(dnsServers),
};

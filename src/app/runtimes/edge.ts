import { checkedElsewhere } from "../../features/domains/errors.ts";
import { notServedHere } from "../../features/notifications/errors.ts";
import type { Database } from "../../platform/db/connection.ts";
import { serviceUnavailable } from "../../platform/errors.ts";
import { bodyBoundedFetch } from "../../platform/http/body-bounded-fetch.ts";
import { cleanImageResult } from "../../platform/images/clean-image-result.ts";
import { createImageCleaner } from "../../platform/images/cleaner.ts";
import { jobsCipher, sendingQueue } from "../../platform/jobs/send.ts";
import { consoleOutput } from "../../platform/log-output.ts";
import { precompiledDerive } from "../../platform/passwords/precompiled-derive.ts";
import { BUCKET_REMEMBERED_MS, type MarkerRecord, markedStorage } from "../../platform/storage/marked.ts";
import { s3FetchStorage } from "../../platform/storage/s3-fetch.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import type { Fetch } from "../../platform/tracing/tracing.ts";
import { markerRecord } from "../storage-marker.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Creates a runtime for platforms with web standards, TCP and the modules of Node.js. It has no workers, files,
 * native modules, SMTP, and no connections that outlive a request. Features that need these are rejected, or left
 * to instances on Bun.
 * @param argon2 the compiled WebAssembly of the `argon2id` package
 * @param openConnections opens database connections that belong to the current request
 * @param fetchPublic a `fetch` that reaches public addresses alone, because this runtime does not choose the address that it connects to
 */
export const edgeRuntime = (
  argon2: WebAssembly.Module,
  openConnections: () => Database,
  fetchPublic: Fetch,
): Runtime => ({
  openDatabase: () => ofRequests,
  openQueue: ({ config }) => sendingQueue(jobsCipher(config)),
  openStorage: async ({ driver, s3 }) => {
    if (driver !== "s3") return noStorage;
    const record = markerRecordOnDemand(openConnections);
    return markedStorage(s3FetchStorage(s3), record, { rememberMs: BUCKET_REMEMBERED_MS });
  },
  openStreams: () => ({
    open() {
      throw notServedHere();
    },
    onChange() {},
    refreshAll() {},
    size: () => 0,
    stop() {},
  }),
  loadEngine: async () => ({ derive: precompiledDerive(argon2) }),
  hashConcurrency: 1,
  timersOutliveRequests: false,
  openLog: consoleOutput,
  boundedFetch: (maxBytes, findAddresses) =>
    bodyBoundedFetch(maxBytes, findAddresses === undefined ? fetch : fetchPublic),
  createMailer: () => ({
    send: () => Promise.reject(new Error("Mails are sent by instances that run jobs")),
    close() {},
  }),
  createImageCleaner: () => createImageCleaner(async (bytes) => cleanImageResult(bytes)),
  createTxtResolver: () => () => {
    throw checkedElsewhere();
  },
});

/**
 * Returns the marker's record, read by connections of its own: the storage serves all requests, but the connections of
 * a request end with it. An isolate needs the record once.
 */
function markerRecordOnDemand(openConnections: () => Database): MarkerRecord {
  const once = async <T>(work: (record: MarkerRecord) => Promise<T>): Promise<T> => {
    const db = openConnections();
    try {
      return await work(markerRecord(db, db.writes));
    } finally {
      await db.close();
    }
  };
  return { find: () => once((record) => record.find()), confirm: () => once((record) => record.confirm()) };
}

/** A placeholder for the database outside of requests, where no database is available. */
const ofRequests = new Proxy({} as Database, {
  get(_, name) {
    throw new Error(`No database outside of requests: ${String(name)}`);
  },
});

const noFiles = () =>
  Promise.reject(serviceUnavailable(new Error("Only STORAGE_DRIVER=s3 works in this runtime")));
const noStorage: Storage = { put: noFiles, get: noFiles, delete: noFiles, check: noFiles };

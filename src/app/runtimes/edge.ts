import { pgDriver } from "../../platform/db/drivers/pg.ts";
import { cleanImageResult } from "../../platform/images/clean-image-result.ts";
import { createImageCleaner } from "../../platform/images/cleaner.ts";
import { consoleOutput } from "../../platform/log-output.ts";
import { deriveInWasm } from "../../platform/passwords/wasm-derive.ts";
import type { Runtime } from "./runtime.ts";

/**
 * A runtime without workers, native modules and SMTP: features that need those are missing, or are left to instances on
 * Bun.
 */
export const edgeRuntime: Runtime = {
  driver: pgDriver,
  loadEngine: async () => ({ name: "wasm", derive: deriveInWasm }),
  hashConcurrency: 1,
  openLog: consoleOutput,
  createMailer: () => ({
    send: () => Promise.reject(new Error("Mails are sent by instances that do jobs")),
    close() {},
  }),
  createImageCleaner: () => createImageCleaner(async (bytes) => cleanImageResult(bytes)),
};

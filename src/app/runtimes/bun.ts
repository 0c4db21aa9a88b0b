import { bunDriver } from "../../platform/db/drivers/bun.ts";
import { createImageCleaner } from "../../platform/images/cleaner.ts";
import { standardOutput } from "../../platform/log-output.ts";
import { lazyMailer } from "../../platform/mail/mailer.ts";
import { loadEngine } from "../../platform/passwords/engine.ts";
import { hashConcurrency } from "../../platform/passwords/priority.ts";
import type { Runtime } from "./runtime.ts";

/** The runtime with everything that the service can do. */
export const bunRuntime: Runtime = {
  driver: bunDriver,
  loadEngine,
  hashConcurrency: hashConcurrency(),
  openLog: standardOutput,
  createMailer: (config) =>
    lazyMailer(async () => (await import("../../platform/mail/smtp.ts")).smtpMailer(config)),
  createImageCleaner: () => createImageCleaner(),
};

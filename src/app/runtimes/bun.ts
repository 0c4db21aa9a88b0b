import { bunDriver } from "../../platform/db/drivers/bun.ts";
import { createImageCleaner } from "../../platform/images/cleaner.ts";
import { standardOutput } from "../../platform/log-output.ts";
import { openedByFirstMail } from "../../platform/mail/mailer.ts";
import { loadEngine } from "../../platform/passwords/engine.ts";
import { hashesAtOnce } from "../../platform/passwords/priority.ts";
import type { Runtime } from "./runtime.ts";

/** All that the service can do. */
export const bunRuntime: Runtime = {
  driver: bunDriver,
  loadEngine,
  hashesAtOnce: hashesAtOnce(),
  openLog: standardOutput,
  createMailer: (config) =>
    openedByFirstMail(async () => (await import("../../platform/mail/smtp.ts")).smtpMailer(config)),
  createImageCleaner: () => createImageCleaner(),
};

import type { Config } from "../../core/config.ts";
import type { Driver } from "../../platform/db/drivers/driver.ts";
import type { ImageCleaner } from "../../platform/images/cleaner.ts";
import type { LogOutput } from "../../platform/log-output.ts";
import type { Mailer } from "../../platform/mail/mailer.ts";
import type { Argon2Engine } from "../../platform/passwords/argon2.ts";

/** What depends on the runtime: Bun, or a platform with web standards only. */
export interface Runtime {
  readonly driver: Driver;
  loadEngine(): Promise<Argon2Engine>;
  /** The maximum number of passwords hashed at once. */
  readonly hashConcurrency: number;
  openLog(): LogOutput;
  createMailer(config: Config["mail"]): Mailer;
  createImageCleaner(): ImageCleaner;
}

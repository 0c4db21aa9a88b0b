import type { Service } from "../core/context.ts";
import { rekeyConnectionSecrets } from "../features/sign-on/secrets.ts";
import { rekeySecrets } from "../features/two-factor/secret.ts";
import { rekeyWebhookSecrets } from "../features/webhooks/rekey.ts";
import { type Rekeyed, rekeyJobs } from "../platform/jobs/rekey.ts";
import { jobsCipher } from "../platform/jobs/send.ts";
import { assertMigrated } from "./assert-migrated.ts";
import { needed } from "./command.ts";
import { readConfig } from "./config.ts";
import { bunRuntime } from "./runtimes/bun.ts";
import { startServices } from "./services.ts";

/** Re-encrypts all stored secrets and jobs with the current keys, in batches. Returns the result by kind. */
export async function rekey(service: Service): Promise<Record<string, Rekeyed>> {
  return {
    "two-factor secrets": await rekeySecrets(service),
    "webhook secrets": await rekeyWebhookSecrets(service),
    "connection secrets": await rekeyConnectionSecrets(service),
    jobs: await rekeyJobs(service.db, jobsCipher(service.app.config)),
  };
}

/** Runs `bun run rekey`; returns its exit code, which is 1 if no configured key can decrypt some value. */
export async function runRekey(): Promise<number> {
  const config = needed(readConfig(process.env));
  await assertMigrated(config.database);
  const { stop, ...service } = await startServices({ ...config, logLevel: "error" }, bunRuntime, {
    runJobs: false,
  });
  try {
    const done = Object.entries(await rekey(service));
    for (const [what, { encrypted, unreadable }] of done) {
      console.log(`${what}: ${encrypted} encrypted with the new key`);
      if (unreadable > 0)
        console.error(`${what}: ${unreadable} cannot be read by any key that is configured`);
    }
    return done.some(([, { unreadable }]) => unreadable > 0) ? 1 : 0;
  } finally {
    await stop();
  }
}

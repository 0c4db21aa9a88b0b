import { readConfig } from "../../src/app/config.ts";
import { startServer } from "../../src/app/server.ts";

/**
 * Runs `src/server.ts` for test accounts with cheap password hashes. A sign-in does not renew them, because that
 * would take the account's lock concurrently with the test. Timeouts are those of the test's own service.
 */
const { config, problems } = readConfig(process.env);
if (config === null) throw new Error(problems.join("\n"));
const readinessMs = process.env.TEST_READINESS_MS;
const running = await startServer(config, {
  ...(readinessMs !== undefined && { readinessMs: Number(readinessMs) }),
  keepsHashes: true,
  maxWaitMs: Number(process.env.TEST_MAX_WAIT_MS) || undefined,
  providerTimeoutMs: Number(process.env.TEST_PROVIDER_TIMEOUT_MS) || undefined,
});
process.on("SIGTERM", () => void running.stop().then(() => process.exit(0)));
const { ppid } = process;
// If the tests are killed, or end without stopping the instance, it ends as well.
setInterval(() => process.ppid !== ppid && process.exit(), 1_000).unref();

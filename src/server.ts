import { readConfig } from "./app/config.ts";
import { startServer } from "./app/server.ts";
import { StartError } from "./app/start-error.ts";

/** `bun run start`: starts one instance of the service, configured by environment variables. */
const { config, problems } = readConfig(process.env);
if (config === null) {
  console.error(
    `The service cannot start, its configuration is wrong:\n${problems.map((line) => `  ${line}`).join("\n")}`,
  );
  process.exit(1);
}
const running = await startServer(config).catch((error) => {
  if (!(error instanceof StartError)) throw error;
  console.error(`The service cannot start: ${error.message}`);
  process.exit(1);
});
// Frees the memory of the start (about 5 MB) by a garbage collection once the service runs.
void running.app.jobs.whenRunning().then(() => Bun.shrink());
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => void running.stop().then(() => process.exit(0)));
}

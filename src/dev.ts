import { startDevelopment } from "./dev/start.ts";

/** `bun run dev`: starts the service with everything that it needs, on this machine alone. */
await startDevelopment().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});

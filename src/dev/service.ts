import { readConfig } from "../app/config.ts";
import { startServer } from "../app/server.ts";
import { seedDemoData } from "./demo.ts";

/** Runs the service as a child process of `bun run dev`, which replaces it when a source file changes. */
const { config, problems } = readConfig(process.env);
if (config === null) throw new Error(problems.join("\n"));
// The console is not served here, because the parent process serves it.
const running = await startServer({ ...config, web: false });
const { DEMO_RECEIVER_URL: receiverUrl = "", DEMO_PROVIDER: provider } = process.env;
await seedDemoData(running, { receiverUrl, provider: provider && config.sso ? JSON.parse(provider) : null });
process.on("SIGTERM", () => void running.stop().then(() => process.exit(0)));
process.on("disconnect", () => process.exit(0));
process.send?.("ready");

import { join } from "node:path";

/**
 * `bun run proof agents`: recorded requests of agents, the answers of another authorization server to the same bad requests, the
 * tools, and the conformance suite of the protocol, which npm downloads.
 */
const ROOT = join(import.meta.dir, "../..");
const WORDS = ["recorded-requests", "second-opinion", "connected-apps/mcp", "conformance"];
const child = Bun.spawn(["bun", join(ROOT, "test/support/run.ts"), ...WORDS], {
  cwd: ROOT,
  env: { ...process.env, MCP_CONFORMANCE: "1" },
  stdio: ["inherit", "inherit", "inherit"],
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
process.exit(await child.exited);

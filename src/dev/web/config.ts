import { join } from "node:path";
import react from "@vitejs/plugin-react";
import type { InlineConfig } from "vite";
import { version } from "../../../package.json" with { type: "json" };
import { consolePlugin } from "./plugin.ts";

export const ROOT = join(import.meta.dir, "../../..");

/**
 * Returns the configuration of Vite with which developers run the console and users get it.
 * @param demoAccounts the accounts that the sign-in page offers, as JSON; empty in production
 * @param botCheck the origin of the bot check in development; in production the service inserts it
 */
export const viteConfig = (demoAccounts: string, botCheck = ""): InlineConfig => ({
  configFile: false,
  root: join(ROOT, "src/web"),
  publicDir: false,
  logLevel: "error",
  plugins: [react(), consolePlugin({ botCheck })],
  define: { DEMO_ACCOUNTS: JSON.stringify(demoAccounts), APP_VERSION: JSON.stringify(version) },
  // The service inserts the path below which it serves the console.
  experimental: {
    renderBuiltUrl: (file, { hostType }) => (hostType === "html" ? `{{base}}/${file}` : { relative: true }),
  },
  build: {
    target: "es2022",
    // Mantine's styles stay as they are: rewritten for old browsers, they are half as large again.
    cssTarget: "esnext",
    modulePreload: { polyfill: false },
    // The content security policy allows no fonts in a stylesheet.
    assetsInlineLimit: 0,
  },
});

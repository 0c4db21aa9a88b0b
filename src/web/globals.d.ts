/** The demo accounts as JSON, which only the build of `bun run dev` has; empty in every other one. */
declare const DEMO_ACCOUNTS: string;

/** The demo accounts as JSON, which only the build of `bun run dev` has; empty in every other one. */
declare const DEMO_ACCOUNTS: string;
/** The version of the build, for tickets. */
declare const APP_VERSION: string;

/** The demo accounts as JSON in the build of `bun run dev`; empty in every other build. */
declare const DEMO_ACCOUNTS: string;
/** The version of the build. It is sent with tickets. */
declare const APP_VERSION: string;

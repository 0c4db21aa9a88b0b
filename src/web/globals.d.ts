/** The demo accounts as JSON in the build of `bun run dev`; empty in every other build. */
declare const DEMO_ACCOUNTS: string;
/** The version of the build. It is sent with tickets. */
declare const APP_VERSION: string;
/** The CSS variables of the theme (`src/dev/web/plugin.ts`). */
declare module "virtual:theme.css";

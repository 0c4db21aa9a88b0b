import { runRekey } from "./app/rekey.ts";

/** `bun run rekey`: encrypts what is stored with the keys of now, after they were changed. */
process.exit(await runRekey());

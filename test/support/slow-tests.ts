import { setDefaultTimeout } from "bun:test";

/** Sets a long default timeout for slow machines. Bun resets it after each file. */
export const allowSlowTests = () => setDefaultTimeout(300_000);

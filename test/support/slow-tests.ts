import { setDefaultTimeout } from "bun:test";

/** What a test waits for is told by the test; how fast the machine is, by nobody. Bun forgets it after each file. */
export const allowSlowTests = () => setDefaultTimeout(180_000);

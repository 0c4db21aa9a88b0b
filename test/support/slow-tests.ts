import { setDefaultTimeout } from "bun:test";
import { ROUNDS } from "./race.ts";

/** A generous timeout of each test: a machine that is five times slower than the usual one needs less. */
export const TEST_TIMEOUT_MS = 900_000 + ROUNDS * 6_000;

/** Sets the default timeout for slow machines. Bun resets it after each file. */
export const allowSlowTests = () => setDefaultTimeout(TEST_TIMEOUT_MS);

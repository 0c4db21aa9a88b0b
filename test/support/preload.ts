import { setDefaultTimeout } from "bun:test";
import { ensureServices } from "./services.ts";

await ensureServices();

// What a test waits for is told by the test; how fast the machine is, by nobody.
setDefaultTimeout(180_000);

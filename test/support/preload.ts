import { ensureServices } from "./services.ts";
import { allowSlowTests } from "./slow-tests.ts";

await ensureServices();
allowSlowTests();

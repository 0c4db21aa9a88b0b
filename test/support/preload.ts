// Names of permissions, actions and events exist once all features are loaded.
import "../../src/app/features.ts";
import { ensureServices } from "./services.ts";
import { allowSlowTests } from "./slow-tests.ts";

await ensureServices();
allowSlowTests();

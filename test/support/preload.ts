import { ensureServices } from "./services.ts";

await ensureServices();

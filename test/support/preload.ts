import { bePatient } from "./patience.ts";
import { ensureServices } from "./services.ts";

await ensureServices();
bePatient();

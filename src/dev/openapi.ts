import { featureEndpoints } from "../app/api.ts";
import { healthEndpoints } from "../core/api/health.ts";
import { openApiDocument } from "../core/api/openapi.ts";

/** `bun run openapi`: the document of /api/docs-json on standard output, without a database or configuration. */
const health = healthEndpoints(() => Promise.reject(new Error("Only documented")));
console.log(JSON.stringify(openApiDocument([...featureEndpoints, ...health]), null, 2));

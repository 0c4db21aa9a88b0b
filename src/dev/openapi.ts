import { developmentApi } from "../app/api.ts";
import { openApiDocument } from "../core/api/openapi.ts";

/** `bun run openapi`: prints the OpenAPI document of /api/docs-json, without a database or configuration. */
console.log(JSON.stringify(openApiDocument(developmentApi), null, 2));

import { developmentApi } from "../app/api.ts";
import { openApiDocument } from "../core/api/openapi.ts";

/** `bun run openapi`: the OpenAPI document of /api/docs-json on standard output, without a database or configuration. */
console.log(JSON.stringify(openApiDocument(developmentApi), null, 2));

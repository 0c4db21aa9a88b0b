/* A route with its access, errors and limits. */

export { idsOfHeader } from "../core/api/id-headers.ts";
export { noContent } from "../core/api/no-content.ts";
export type { RouterEnv } from "../core/api/request-context.ts";
export { empty, fieldsBody, form, json, jsonBody, raw, rawBody, route } from "../core/api/route.ts";
export { Router } from "../core/api/router.ts";

/* A route with its access, errors and limits. */

export { idsOfHeader } from "../core/api/id-headers.ts";
export { noContent } from "../core/api/no-content.ts";
export type { RouterEnv } from "../core/api/request-context.ts";
export { route } from "../core/api/route.ts";
export { empty, fieldsBody, json, jsonBody, raw, rawBody } from "../core/api/route-parts.ts";
export { Router } from "../core/api/router.ts";
export { form } from "../core/forms/form.ts";

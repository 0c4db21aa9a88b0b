/* For a feature by which others call the service's own routes: who calls, what there is, and what they may call. */

export { authenticateKey } from "../core/api/api-key.ts";
export { verifyApp } from "../core/api/app-token.ts";
export { errorResponse } from "../core/api/error-response.ts";
export { isHeld, permissionsOf, scopeMissing } from "../core/api/held.ts";
export { inputReader } from "../core/api/input.ts";
export { openApiDocument } from "../core/api/openapi.ts";
export type { RequestBindings, RequestContext } from "../core/api/request-context.ts";
export type { RouteDefinition } from "../core/api/route.ts";
export { definitionsOf, routesOf } from "../core/api/router.ts";
export { ownTools, TOOL_NAMES } from "../core/api/tool.ts";
export { unsupportedMediaType } from "../platform/errors.ts";
export { isLoopback } from "../platform/loopback.ts";
export { version } from "../platform/version.ts";

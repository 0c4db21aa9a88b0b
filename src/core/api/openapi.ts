import { OpenAPIHono, type RouteConfig, type z } from "@hono/zod-openapi";
import { version } from "../../platform/version.ts";
import { allowsApiKeys, allowsApps } from "../access/access.ts";
import { appScopes, scopeOf } from "../access/app-scopes.ts";
import { declared } from "../definitions/features.ts";
import { theProduct } from "../manifest/current.ts";
import { type DescribedErrors, describeErrors, errorSchemas, shareErrors } from "./openapi-errors.ts";
import { addExamples, modernize } from "./openapi-examples.ts";
import { headerParameters, RESPONSE_HEADERS, responseHeaders } from "./openapi-headers.ts";
import { DESCRIPTION, describeAccess, describeReauthentication } from "./openapi-texts.ts";
import { exampleViolations } from "./openapi-violations.ts";
import { accessOfApps, type RouteDefinition } from "./route.ts";
import { definitionsOf, type MountedRoute } from "./router.ts";
import { errorsOf } from "./shared-errors.ts";

const HEALTH = { health: "Health checks for load balancers and operators." };
const BEFORE_TWO_FACTOR = "Available before a required second factor is set up.";

/** Returns for which part a setup link may call a route, `any` if for each; null if it may not. */
const setupOf = ({ access, setup }: RouteDefinition): string | null =>
  setup ?? (access === "setup-link" ? "any" : null);

/** Returns the scope that an app needs to call a route; null if it needs none, or may not. */
function scopeOfRoute(definition: RouteDefinition): string | null {
  const access = accessOfApps(definition);
  return typeof access === "object" && allowsApps(definition) ? scopeOf(access.permission) : null;
}

/** Returns how an app authenticates on a route, as an alternative to a bearer token; none if it may not call it. */
function securityOfApps(definition: RouteDefinition): { oauth2: string[] }[] {
  if (definition.access === "public" || !allowsApps(definition)) return [];
  const scope = scopeOfRoute(definition);
  return [{ oauth2: scope === null ? [] : [scope] }];
}

/** Describes a route in the OpenAPI document, with all of its statuses and their codes. */
function describe(definition: MountedRoute, errors: Record<string, DescribedErrors>): RouteConfig {
  const { access, description, request, responses, worksBeforeTwoFactor, reauthentication } = definition;
  const words = [
    describeAccess(access),
    worksBeforeTwoFactor && BEFORE_TWO_FACTOR,
    reauthentication && describeReauthentication(reauthentication),
  ]
    .filter(Boolean)
    .join(" ");
  // Entries of the array are alternatives; the keys of one entry are required together.
  const needed = { ...(access !== "public" && { bearer: [] }) };
  const withCookie = { ...needed, refreshCookie: [] };
  const byProduct = definition.productKey && theProduct() !== null ? [{ productKey: [] }] : [];
  const signedIn =
    access === "product" ? [{ productKey: [] }] : [needed, ...byProduct, ...securityOfApps(definition)];
  const security = {
    required: [withCookie],
    optional: [needed, withCookie],
    none: access === "public" ? (definition.optionalBearer ? [{}, { bearer: [] }] : []) : signedIn,
  };
  return {
    operationId: definition.operationId,
    method: definition.method,
    path: definition.path,
    tags: definition.tags,
    summary: definition.summary,
    description: [typeof description === "function" ? description() : description, words]
      .filter(Boolean)
      .join("\n\n"),
    security: security[definition.refreshCookie ?? "none"],
    parameters: headerParameters(definition),
    "x-access": typeof access === "object" ? access.permission : access,
    // A public route reads no credential.
    ...(setupOf(definition) !== null && { "x-setup": setupOf(definition) }),
    "x-api-keys": access !== "public" && allowsApiKeys(definition),
    "x-apps": allowsApps(definition),
    ...(scopeOfRoute(definition) !== null && { "x-scope": scopeOfRoute(definition) }),
    request: {
      ...(request?.params && { params: request.params }),
      ...(request?.query && { query: request.query }),
      ...(request?.body && { body: { required: request.body.required, content: request.body.content } }),
    },
    responses: {
      ...Object.fromEntries(Object.entries(errors).map(([status, { response }]) => [status, response])),
      ...Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [
          status,
          { ...response, headers: { ...responseHeaders(definition, Number(status)), ...response.headers } },
        ]),
      ),
    },
  } as unknown as RouteConfig;
}

/** Returns the errors of an operation by status. */
function describedErrors(definition: RouteDefinition): Record<string, DescribedErrors> {
  const byStatus = Map.groupBy(errorsOf(definition), ({ status }) => status);
  const violations = exampleViolations(definition);
  return Object.fromEntries(
    [...byStatus].map(([status, errors]) => {
      const clearsCookie = definition.clearsCookieOn?.includes(status) ?? false;
      const headers = responseHeaders(
        definition,
        status,
        clearsCookie ? "Clears the refresh_token cookie." : undefined,
      );
      return [status, describeErrors(status, errors, { headers, violations })];
    }),
  );
}

/**
 * Builds the OpenAPI 3.1 document of a router from the schemas that validate its requests. Without addresses, those of the
 * authorization server are relative.
 */
export function openApiDocument(router: object, { appUrl, apiUrl } = { appUrl: "", apiUrl: "" }) {
  const hono = new OpenAPIHono();
  const { openAPIRegistry: registry } = hono;
  registry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The access token of a sign-in, valid for 15 minutes by default.",
  });
  registry.registerComponent("securitySchemes", "refreshCookie", {
    type: "apiKey",
    in: "cookie",
    name: "refresh_token",
    description:
      "The refresh cookie of the session: HttpOnly, SameSite=Lax, Path=/api/auth. Replaced at every refresh.",
  });
  const tokenUrl = `${apiUrl}/api/oauth/token`;
  registry.registerComponent("securitySchemes", "oauth2", {
    type: "oauth2",
    description: "The access token of a connected app, sent like that of a sign-in. Only with `OAUTH=on`.",
    flows: {
      authorizationCode: {
        authorizationUrl: `${appUrl}/authorize`,
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes: Object.fromEntries(appScopes().map(({ name, description }) => [name, description])),
      },
    },
  });
  if (theProduct() !== null)
    registry.registerComponent("securitySchemes", "productKey", {
      type: "http",
      scheme: "bearer",
      description: "The key of the product, `PRODUCT_KEY`.",
    });
  for (const [name, header] of Object.entries(RESPONSE_HEADERS))
    registry.registerComponent("headers", name, header);
  const operations = definitionsOf(router).map((definition) => ({
    definition,
    errors: describedErrors(definition),
  }));
  const within: Record<string, z.ZodType> = Object.assign(
    {},
    ...operations.map(({ definition }) => definition.schemas),
  );
  const factories = operations.flatMap(({ definition }) => errorsOf(definition));
  for (const [name, schema] of Object.entries(within)) registry.register(name, schema);
  for (const [name, schema] of Object.entries(errorSchemas(factories))) registry.register(name, schema);
  const shared = shareErrors(operations.flatMap(({ errors }) => Object.values(errors)));
  for (const [name, response] of Object.entries(shared))
    registry.registerComponent("responses", name, response as never);
  for (const { definition, errors } of operations) registry.registerPath(describe(definition, errors));
  const document = hono.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Multi-organization service",
      version,
      description: DESCRIPTION,
      contact: { name: "The operator of this service" },
      // `identifier` is new in 3.1; the types describe 3.0.
      license: { name: "MIT", identifier: "MIT" } as { name: string },
    },
    servers: [{ url: "/", description: "The address that this document was loaded from" }],
    tags: Object.entries({ ...declared<string>("tags"), ...HEALTH }).map(([name, description]) => ({
      name,
      description,
    })),
  });
  modernize(document);
  addExamples(document as object, Object.keys(within));
  return document;
}

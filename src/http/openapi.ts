import { OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import { accessInWords, isOfOneOrganization } from "./access.ts";
import { type Endpoint, type EndpointDefinition, takesFilters } from "./endpoint.ts";
import {
  forbidden,
  imageTooLarge,
  internalError,
  malformedImage,
  malformedJson,
  notFound,
  organizationHeaderRequired,
  organizationOverrideForbidden,
  organizationRequired,
  payloadTooLarge,
  planFeatureRequired,
  platformAdminRequired,
  type Refusal,
  requestTimeout,
  serviceUnavailable,
  tooManyImages,
  tooManyRequests,
  unauthenticated,
  unsupportedImage,
  unsupportedMediaType,
  uploadQuotaExceeded,
  validationFailed,
} from "./errors.ts";
import { DESCRIPTION, TAGS } from "./openapi-texts.ts";

const ErrorBody = z
  .object({
    statusCode: z.int(),
    code: z.string(),
    message: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    details: z.record(z.string(), z.unknown()).optional(),
    requestId: z.string(),
  })
  .openapi("Error");

const BYTES = { type: "string", format: "binary" } as const;

const IMAGE_REFUSALS = [tooManyImages, malformedImage, imageTooLarge, unsupportedImage, uploadQuotaExceeded];

const SENTENCES: Record<number, string> = {
  400: "Refused as malformed",
  401: "Not signed in",
  403: "Not allowed",
  404: "Not found",
  408: "Too slow",
  409: "In conflict with what is there",
  413: "Too large",
  415: "Not a supported content type",
  429: "Too many requests",
  500: "A fault of the service",
  502: "The other side failed",
  503: "Temporarily out of service",
};

/** An endpoint as the OpenAPI document shows it: all of its statuses, each with its codes. */
function describe(definition: EndpointDefinition): RouteConfig {
  const { operationId, method, path, tag, summary, access, params, query, body, example, answers } =
    definition;
  // Alternatives stand beside each other, what is needed together stands in one.
  const needed = { ...(access !== "public" && { bearer: [] }) };
  const withCookie = { ...needed, refreshCookie: [] };
  const security = {
    required: [withCookie],
    optional: [needed, withCookie],
    none: access === "public" ? [] : [needed],
  };
  return {
    operationId,
    method,
    path,
    tags: [tag],
    summary,
    description: [definition.description, accessInWords(access)].filter(Boolean).join("\n\n"),
    security: security[definition.refreshCookie ?? "none"],
    "x-access": typeof access === "object" ? access.permission : access,
    request: {
      ...(params && { params }),
      ...(query && { query }),
      headers: headersOf(definition),
      ...(definition.rawBodyBytes !== undefined && {
        body: { required: true, content: { "*/*": { schema: BYTES, example: '{"id":"evt_1"}' } } },
      }),
      ...(body && {
        body: {
          required: !body.safeParse({}).success,
          content: {
            "application/json": { schema: body, ...(example && { example }) },
            ...(definition.images && {
              "multipart/form-data": { schema: formOf(body), ...(example && { example }) },
            }),
          },
        },
      }),
    },
    responses: { ...answersOf(answers), ...refusalsOf(definition) },
  } as RouteConfig;
}

/** The fields of a body, and up to five images: one schema, as two that each refuse the other's fields take nothing. */
const formOf = ({ shape }: z.ZodObject) =>
  z.strictObject({
    ...shape,
    images: z
      .array(z.string().openapi({ format: "binary" }))
      .max(5)
      .optional(),
  });

const requestIdHeader = {
  "X-Request-Id": z.string().optional().openapi({
    description:
      "1 to 128 letters, digits, dots, hyphens and underscores: echoed in the answer. Anything else is replaced.",
  }),
};
const organizationHeader = {
  "X-Organization-Id": z.string().optional().openapi({
    description:
      "Platform administrators only: the organization to act on, or several, comma-separated (at most 50). 403 from anyone else.",
  }),
};
const filterHeader = (whose: string) =>
  z
    .string()
    .optional()
    .openapi({
      description: `Comma-separated ids, at most 50. Narrows todos to those of ${whose}; elsewhere only its form is checked.`,
    });
const filterHeaders = {
  "X-Filter-Unit": filterHeader("members of these units and their sub-units"),
  "X-Filter-Member": filterHeader("these members"),
};

/** What a client may send along (specification 5.3). */
function headersOf(definition: EndpointDefinition) {
  return z.object({
    ...requestIdHeader,
    ...(definition.access !== "public" && organizationHeader),
    ...(takesFilters(definition) && filterHeaders),
  });
}

function answersOf(answers: EndpointDefinition["answers"]) {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, setsCookie, location, content }]) => [
      status,
      {
        description,
        headers: {
          "X-Request-Id": {
            schema: { type: "string" },
            description: "Names this request in logs and in the audit log.",
          },
          ...(setsCookie && {
            "Set-Cookie": {
              schema: { type: "string" },
              description: setsCookie === true ? "The refresh_token cookie." : setsCookie,
            },
          }),
          ...(location && { Location: { schema: { type: "string" }, description: location } }),
        },
        ...(schema && { content: { "application/json": { schema } } }),
        ...(content && { content: rawContent(content) }),
      },
    ]),
  );
}

const rawContent = (content: Record<string, { example: string }>) =>
  Object.fromEntries(
    Object.entries(content).map(([type, { example }]) => [type, { schema: { type: "string" }, example }]),
  );

function refusalsOf(definition: EndpointDefinition) {
  const byStatus = new Map<number, Set<string>>();
  for (const { status, code } of possibleRefusals(definition)) {
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: `${SENTENCES[status] ?? "Refused"}: ${[...codes].map((code) => `\`${code}\``).join(", ")}`,
        headers: {
          ...((status === 429 || status === 503) && {
            "Retry-After": { schema: { type: "integer" }, description: "Seconds to wait." },
          }),
          ...(definition.clearsCookieOn?.includes(status) && {
            "Set-Cookie": { schema: { type: "string" }, description: "Clears the refresh_token cookie." },
          }),
        },
        content: {
          "application/json": {
            schema: ErrorBody,
            example: { statusCode: status, code: [...codes][0], message: "…", requestId: "0f9c1d5e" },
          },
        },
      },
    ]),
  );
}

/** The refusals of its own, and those that every endpoint of its kind may answer with. */
export function possibleRefusals(definition: EndpointDefinition) {
  const {
    access,
    method,
    throttled,
    whenThrottled,
    perUserAMinute,
    rawBodyBytes,
    refusesPlatformAdmins,
    refusals = [],
  } = definition;
  const shared: { status: number; code: string }[] = [validationFailed, internalError, serviceUnavailable];
  if (method !== "get") shared.push(payloadTooLarge, requestTimeout);
  if (method !== "get" && rawBodyBytes === undefined) shared.push(malformedJson, unsupportedMediaType);
  if (definition.images) shared.push(...IMAGE_REFUSALS);
  if ((throttled && whenThrottled === undefined) || perUserAMinute !== undefined)
    shared.push(tooManyRequests);
  if (access !== "public") shared.push(unauthenticated, organizationOverrideForbidden);
  if (access === "platform-admin") shared.push(platformAdminRequired);
  if (isOfOneOrganization(access)) shared.push(organizationHeaderRequired, notFound);
  if (access === "member" || typeof access === "object") shared.push(organizationRequired);
  if (typeof access === "object") shared.push(forbidden);
  if (typeof access === "object" && access.feature !== undefined) shared.push(planFeatureRequired);
  if (refusesPlatformAdmins !== undefined) shared.push(refusesPlatformAdmins);
  return [...(refusals as Refusal<never[]>[]), ...shared];
}

/** The OpenAPI 3.1 document of endpoints, made of the schemas that validate them. */
export function openApiDocument(endpoints: Endpoint[]) {
  const hono = new OpenAPIHono();
  const { openAPIRegistry: registry } = hono;
  registry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The access token of a sign-in, good for 15 minutes by default.",
  });
  registry.registerComponent("securitySchemes", "refreshCookie", {
    type: "apiKey",
    in: "cookie",
    name: "refresh_token",
    description: "HttpOnly, SameSite=Lax, Path=/api/auth. Replaced at every refresh.",
  });
  for (const { definition } of endpoints) registry.registerPath(describe(definition));
  return hono.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Multi-organization service",
      version: "0.1.0",
      description: DESCRIPTION,
      // `identifier` is new in 3.1, and the types know 3.0.
      license: { name: "MIT", identifier: "MIT" } as { name: string },
    },
    servers: [{ url: "/", description: "Where this document was read from" }],
    tags: TAGS,
  });
}

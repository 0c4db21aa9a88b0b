import { OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
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
} from "../../platform/errors.ts";
import { type Endpoint, type EndpointDefinition, readingOf } from "./endpoint.ts";
import { accessInWords, isOfOneOrganization } from "./guard.ts";
import { addExamples } from "./openapi-examples.ts";
import { ANSWER_HEADERS, answerHeaders, headerParameters } from "./openapi-headers.ts";
import { type DescribedRefusals, describeRefusals, shareRefusals } from "./openapi-refusals.ts";
import { DESCRIPTION, TAGS } from "./openapi-texts.ts";

const ErrorBody = z
  .object({
    statusCode: z.int().openapi({ description: "The status of the answer." }),
    code: z.string().openapi({ description: "Stable, for programs." }),
    message: z.string().openapi({ description: "For people, in English." }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .openapi({ description: "Everything that is wrong with the request, with `VALIDATION_FAILED` alone." }),
    details: z.record(z.string(), z.unknown()).optional(),
    requestId: z.string().openapi({ description: "As in the header `X-Request-Id`." }),
  })
  .openapi("Error");

const BYTES = { type: "string", format: "binary" } as const;

const IMAGE_REFUSALS = [tooManyImages, malformedImage, imageTooLarge, unsupportedImage, uploadQuotaExceeded];

/** An endpoint as the OpenAPI document shows it: all of its statuses, each with its codes. */
function describe(definition: EndpointDefinition, refusals: Record<string, DescribedRefusals>): RouteConfig {
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
    parameters: headerParameters(definition),
    "x-access": typeof access === "object" ? access.permission : access,
    request: {
      ...(params && { params }),
      ...(query && { query }),
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
    responses: {
      ...Object.fromEntries(Object.entries(refusals).map(([status, { response }]) => [status, response])),
      ...answersOf(answers),
    },
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

function answersOf(answers: EndpointDefinition["answers"]) {
  return Object.fromEntries(
    Object.entries(answers).map(
      ([status, { description, schema, example, setsCookie, location, content }]) => [
        status,
        {
          description,
          headers: {
            ...answerHeaders(
              Number(status),
              setsCookie === true ? "The refresh_token cookie." : setsCookie || undefined,
            ),
            ...(location && { Location: { schema: { type: "string" }, description: location } }),
          },
          ...(schema && {
            content: { "application/json": { schema, ...(example !== undefined && { example }) } },
          }),
          ...(content && { content: rawContent(content) }),
        },
      ],
    ),
  );
}

const rawContent = (content: Record<string, { example: string }>) =>
  Object.fromEntries(
    Object.entries(content).map(([type, { example }]) => [type, { schema: { type: "string" }, example }]),
  );

/** What an operation refuses by, for each status. */
function refusalsOf(definition: EndpointDefinition): Record<string, DescribedRefusals> {
  const byStatus = Map.groupBy(possibleRefusals(definition), ({ status }) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, refusals]) => {
      const clearsCookie = definition.clearsCookieOn?.includes(status) ?? false;
      const headers = answerHeaders(status, clearsCookie ? "Clears the refresh_token cookie." : undefined);
      return [status, describeRefusals(status, refusals, { headers, clearsCookie })];
    }),
  );
}

/** The refusals of its own, and those that every endpoint of its kind may answer with. */
export function possibleRefusals(definition: EndpointDefinition): Refusal<never[]>[] {
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
  const shared: Refusal<never[]>[] = [validationFailed, internalError, serviceUnavailable];
  if (method !== "get") shared.push(payloadTooLarge, requestTimeout);
  if (method !== "get" && rawBodyBytes === undefined) shared.push(malformedJson, unsupportedMediaType);
  if (definition.images) shared.push(...IMAGE_REFUSALS);
  const isBounded = perUserAMinute !== undefined || readingOf(definition) !== null;
  if ((throttled && whenThrottled === undefined) || isBounded) shared.push(tooManyRequests);
  if (access !== "public") shared.push(unauthenticated, organizationOverrideForbidden);
  if (access === "platform-admin") shared.push(platformAdminRequired);
  if (isOfOneOrganization(access)) shared.push(organizationHeaderRequired, notFound);
  if (access === "member" || typeof access === "object") shared.push(organizationRequired);
  if (typeof access === "object") shared.push(forbidden);
  if (typeof access === "object" && access.feature !== undefined) shared.push(planFeatureRequired);
  if (refusesPlatformAdmins !== undefined) shared.push(refusesPlatformAdmins);
  return [...refusals, ...shared];
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
  registry.register("Error", ErrorBody);
  for (const [name, header] of Object.entries(ANSWER_HEADERS))
    registry.registerComponent("headers", name, header);
  const operations = endpoints.map(({ definition }) => ({ definition, refusals: refusalsOf(definition) }));
  const shared = shareRefusals(operations.flatMap(({ refusals }) => Object.values(refusals)));
  for (const [name, response] of Object.entries(shared))
    registry.registerComponent("responses", name, response as never);
  for (const { definition, refusals } of operations) registry.registerPath(describe(definition, refusals));
  const document = hono.getOpenAPI31Document({
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
  addExamples(document as object);
  return document;
}

import { z } from "@hono/zod-openapi";
import {
  type ApiError,
  type ErrorFactory,
  providerError,
  serviceUnavailable,
  tooManyRequests,
  validationFailed,
} from "../../platform/errors.ts";
import type { Violation } from "../../platform/violations.ts";
import { invalidAuthorizationRequest } from "../access/app-errors.ts";
import {
  cannotReauthenticate,
  forbidden,
  organizationOverrideForbidden,
  planFeatureRequired,
  platformAdminRequired,
  reauthenticationRequired,
  secondFactorRequired,
} from "../access/errors.ts";
import { domainNotVerified, ssoRequired } from "../access/sign-on-errors.ts";
import { botCheckRequired } from "../accounts/outside-checks.ts";
import { unsupportedImage, uploadQuotaExceeded } from "../forms/image-limits.ts";
import { planLimitReached } from "../plans/errors.ts";
import { EXAMPLE_ID } from "./openapi-examples.ts";
import { toPascalCase } from "./variants.ts";

/** Examples of the errors whose factories have parameters. Examples of validation errors depend on the operation. */
const SAMPLES = new Map<unknown, () => ApiError>([
  [tooManyRequests, () => tooManyRequests(30)],
  [serviceUnavailable, () => serviceUnavailable(null)],
  [planFeatureRequired, () => planFeatureRequired("audit")],
  [planLimitReached, () => planLimitReached({ limit: "members", max: 5, used: 5 })],
  [unsupportedImage, () => unsupportedImage("HEIC")],
  [uploadQuotaExceeded, () => uploadQuotaExceeded(3600)],
  [providerError, () => providerError(null)],
  [reauthenticationRequired, () => reauthenticationRequired({ methods: ["password"], maxAgeSeconds: 600 })],
  [secondFactorRequired, () => secondFactorRequired({ methods: [] })],
  [ssoRequired, () => ssoRequired({ connectionId: null, url: null })],
  [domainNotVerified, () => domainNotVerified({ reason: "absent", found: [] })],
  [
    invalidAuthorizationRequest,
    () =>
      invalidAuthorizationRequest("state is too long", {
        error: "invalid_request",
        parameter: "state",
        redirectTo: null,
      }),
  ],
  [botCheckRequired, () => botCheckRequired({ kind: "turnstile", siteKey: "0x4AAAAAAADnPIDROrmt1Wwj" })],
  [cannotReauthenticate, () => cannotReauthenticate(["provider:google"])],
]);

/** Returns the example body of an error, for the OpenAPI document. */
function exampleOf(error: ErrorFactory, violations: Violation[] | null) {
  const { status, code, message, extra } =
    error === validationFailed
      ? validationFailed(violations ?? [])
      : (SAMPLES.get(error)?.() ?? (error as unknown as ErrorFactory<[]>)());
  return {
    statusCode: status,
    code,
    message,
    ...(extra.errors && { errors: extra.errors }),
    ...(extra.details && { details: extra.details }),
    requestId: EXAMPLE_ID,
  };
}

const SENTENCES: Record<number, string> = {
  400: "Invalid request",
  401: "Not signed in",
  403: "Not allowed",
  404: "Not found",
  408: "The request took too long to arrive",
  409: "Conflict with the current state",
  413: "Too large",
  415: "Unsupported content type",
  422: "The idempotency key was used for another request",
  429: "Too many requests",
  500: "Internal error",
  502: "The provider failed",
  503: "Temporarily unavailable",
};

/** A response in the OpenAPI document: the errors of an operation with one status, named after its example. */
export type DescribedErrors = { status: number; name: string; response: object };

/** The errors of routes that require a permission or a platform administrator. */
const PERMISSION_ERRORS: ReadonlySet<unknown> = new Set([forbidden, platformAdminRequired]);

/**
 * Describes the errors of an operation with one status: the possible codes, and an example.
 * @param headers the response headers, in the document's format
 * @param violations example violations of this operation; null if its input cannot be invalid
 */
export function describeErrors(
  status: number,
  errors: ErrorFactory[],
  { headers, violations }: { headers: object; violations: Violation[] | null },
): DescribedErrors {
  const codes = [...new Set(errors.map(({ code }) => code))].sort();
  // The example is a validation error if the operation can return one, because it shows the property `errors`.
  // Otherwise it is an error of the operation itself.
  const invalid = violations && errors.find((error) => error === validationFailed);
  const common = errors.find((error) => error !== organizationOverrideForbidden) ?? errors[0];
  const shown = invalid ?? errors.find((error) => PERMISSION_ERRORS.has(error)) ?? common;
  return {
    status,
    name: toPascalCase(shown?.code ?? "REFUSED"),
    response: {
      description: `${SENTENCES[status] ?? "Refused"}: ${codes.map((code) => `\`${code}\``).join(", ")}`,
      headers,
      content: {
        "application/json": {
          schema: schemaOf(status, codes, errors),
          ...(shown && { example: exampleOf(shown, violations) }),
        },
      },
    },
  };
}

/**
 * Returns the schema of an error body: one alternative for each code with additional properties, and one for all
 * other codes.
 */
function schemaOf(status: number, codes: string[], errors: ErrorFactory[]) {
  const larger = codes.filter((one) => errors.some(({ code, body }) => code === one && body !== undefined));
  const plain = codes.filter((code) => !larger.includes(code));
  const alternatives = [
    ...larger.map((code) => ({ $ref: `#/components/schemas/${nameOf(code)}` })),
    ...(plain.length === 0 ? [] : [plainError(status, plain)]),
  ];
  return alternatives.length === 1 ? alternatives[0] : { oneOf: alternatives };
}

const plainError = (status: number, codes: string[]) => ({
  allOf: [
    { $ref: "#/components/schemas/Error" },
    {
      type: "object",
      properties: { statusCode: { const: status }, code: { type: "string", enum: codes } },
      required: ["statusCode", "code"],
    },
  ],
});

const nameOf = (code: string) => `${toPascalCase(code)}Error`;

/** Returns the components that error bodies reference, by name. */
export function errorSchemas(errors: ErrorFactory[]): Record<string, z.ZodType> {
  const codes = [...new Set(errors.map(({ code }) => code))].sort();
  const code = z.enum(codes).openapi("ErrorCode", {
    description:
      "The stable code of the error, to be handled by programs. More codes may be added: handle unknown ones by their status.",
  });
  // `errors` and `details` are declared with the codes that have them.
  const base = z
    .object({
      statusCode: z.int().openapi({ description: "The status of the response." }),
      code,
      message: z.string().openapi({ description: "A human-readable message in English." }),
      requestId: z.string().openapi({ description: "The `X-Request-Id` of the response." }),
    })
    .openapi("Error");
  const schemas: Record<string, z.ZodType> = { ErrorCode: code, Error: base };
  for (const { status, code, body } of errors)
    if (body !== undefined)
      schemas[nameOf(code)] ??= base.extend({
        statusCode: z.literal(status),
        code: z.literal(code),
        ...body.shape,
      });
  return schemas;
}

/**
 * Moves the errors that several operations share into components, and replaces them by references; otherwise errors
 * would be half of the document. Returns the components, by name.
 */
export function shareErrors(all: DescribedErrors[]): Record<string, object> {
  const shared: Record<string, object> = {};
  for (const alike of Map.groupBy(all, ({ response }) => JSON.stringify(response)).values()) {
    const [first] = alike;
    if (first === undefined || alike.length === 1) continue;
    let name = first.name;
    for (let number = 2; name in shared; number += 1) name = `${first.name}${number}`;
    shared[name] = first.response;
    for (const one of alike) one.response = { $ref: `#/components/responses/${name}` };
  }
  return shared;
}

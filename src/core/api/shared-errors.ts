import type { z } from "@hono/zod-openapi";
import type { TypedResponse } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import {
  type ErrorFactory,
  internalError,
  malformedJson,
  notFound,
  payloadTooLarge,
  requestTimeout,
  serviceUnavailable,
  tooManyRequests,
  unsupportedMediaType,
  validationFailed,
} from "../../platform/errors.ts";
import { allowsApiKeys, allowsApps, isSingleOrganization } from "../access/access.ts";
import { appNotAllowed, insufficientScope } from "../access/app-errors.ts";
import {
  apiKeyNotAllowed,
  forbidden,
  ipNotAllowed,
  organizationHeaderRequired,
  organizationOfKeyIsSuspended,
  organizationOverrideForbidden,
  organizationRequired,
  platformAdminRequired,
  productKeyNotAllowed,
  productKeyRequired,
  reauthenticationRequired,
  twoFactorRequired,
  unauthenticated,
} from "../access/errors.ts";
import { ssoRequired } from "../access/sign-on-errors.ts";
import {
  imageTooLarge,
  malformedImage,
  tooManyImages,
  unsupportedImage,
  uploadQuotaExceeded,
} from "../forms/errors.ts";
import { idempotencyKeyInUse, idempotencyKeyReused } from "../idempotency/errors.ts";
import { theProduct } from "../manifest/current.ts";
import { planFeatureRequired } from "../plans/errors.ts";
import { type RouteDefinition, readLimitOf } from "./route.ts";
import type { Responded, StatusesOf } from "./route-types.ts";

/**
 * The errors that follow from a route's definition, by kind. The OpenAPI document shows them, and `ErrorsOf` types
 * them for clients. Errors that the feature itself throws are in `errors` of the route.
 */
const ALWAYS = [validationFailed, internalError, serviceUnavailable] as const;
const OF_BODIES = [payloadTooLarge, requestTimeout, tooManyRequests] as const;
const OF_JSON = [malformedJson, unsupportedMediaType] as const;
const OF_IMAGES = [
  tooManyImages,
  malformedImage,
  imageTooLarge,
  unsupportedImage,
  uploadQuotaExceeded,
] as const;
const OF_CALLERS = [
  unauthenticated,
  organizationOverrideForbidden,
  tooManyRequests,
  ipNotAllowed,
  organizationOfKeyIsSuspended,
] as const;
const OF_REFUSED_APPS = [appNotAllowed] as const;
const OF_APPS = [insufficientScope] as const;
const OF_PRODUCT = [productKeyRequired, tooManyRequests] as const;
const OF_REFUSED_KEYS = [apiKeyNotAllowed] as const;
const OF_FULL_SESSIONS = [twoFactorRequired] as const;
const OF_RECENT_SIGN_INS = [reauthenticationRequired] as const;
const OF_PLATFORM = [platformAdminRequired] as const;
const OF_ORGANIZATIONS = [organizationRequired] as const;
const OF_AUTHORITY = [ssoRequired] as const;
const OF_ONE_ORGANIZATION = [organizationHeaderRequired, notFound] as const;
const OF_PERMISSIONS = [forbidden] as const;
const OF_FEATURES = [planFeatureRequired] as const;
const OF_THROTTLES = [tooManyRequests] as const;
const OF_IDEMPOTENCY = [idempotencyKeyInUse, idempotencyKeyReused] as const;

/** Returns every error that a route may respond with. */
export function errorsOf(definition: RouteDefinition): ErrorFactory[] {
  const { access, method, throttle, request, refusesPlatformAdmins, errors = [] } = definition;
  const isPermission = typeof access === "object";
  const body = request?.body?.kind;
  const isProduct = access === "product";
  const refusesProduct = theProduct() !== null && access !== "public" && !isProduct && !definition.productKey;
  // An error of another shape than ours is among the responses.
  if (definition.errorShape !== undefined) return definition.existsIf ? [notFound] : [];
  const isThrottled = throttle !== undefined && throttle.response === undefined;
  return [
    ...errors,
    ...ALWAYS,
    ...(method === "get" ? [] : OF_BODIES),
    ...(method === "get" || body === "raw" ? [] : OF_JSON),
    ...(body === "form" ? OF_IMAGES : []),
    ...(isThrottled || readLimitOf(definition) !== null ? OF_THROTTLES : []),
    ...(definition.idempotent ? OF_IDEMPOTENCY : []),
    ...(access === "public" ? [] : isProduct ? OF_PRODUCT : OF_CALLERS),
    ...(allowsApiKeys(definition) || isProduct || access === "app" ? [] : OF_REFUSED_KEYS),
    ...(isProduct ? [] : allowsApps(definition) ? (isPermission ? OF_APPS : []) : OF_REFUSED_APPS),
    ...(refusesProduct ? [productKeyNotAllowed] : []),
    ...(access === "api-key" || access === "app" || definition.existsIf ? [notFound] : []),
    ...(access === "public" || isProduct || definition.worksBeforeTwoFactor ? [] : OF_FULL_SESSIONS),
    ...(definition.reauthentication || isRefusedConfined(definition) ? OF_RECENT_SIGN_INS : []),
    ...(access === "platform-admin" ? OF_PLATFORM : []),
    ...(isSingleOrganization(access) ? OF_ONE_ORGANIZATION : []),
    ...(access === "member" || isPermission ? OF_ORGANIZATIONS : []),
    ...((access === "member" || isPermission) && definition.reauthentication ? OF_AUTHORITY : []),
    ...(isPermission ? OF_PERMISSIONS : []),
    ...(isPermission && access.feature !== undefined ? OF_FEATURES : []),
    ...(refusesPlatformAdmins === undefined ? [] : [refusesPlatformAdmins]),
    ...(definition.permittedIf === undefined ? [] : OF_PERMISSIONS),
  ];
}

/** Whether the route refuses sessions that were only proven by connections. */
const isRefusedConfined = ({ access, worksConfined }: RouteDefinition) =>
  access === "signed-in" && worksConfined !== true;

type OneOf<List extends readonly unknown[]> = List[number];

/** Returns the factories of a route's shared errors; the counterpart of `errorsOf` on the level of types. */
type SharedErrors<R extends RouteDefinition> = R extends { errorShape: unknown }
  ? typeof notFound
  : OurErrors<R>;
type OurErrors<R extends RouteDefinition> =
  | OneOf<typeof ALWAYS>
  | (R["method"] extends "get" ? never : OneOf<typeof OF_BODIES> | OneOf<typeof OF_JSON>)
  | (R["request"] extends { body: { kind: "form" } } ? OneOf<typeof OF_IMAGES> : never)
  | (R["throttle"] extends object ? OneOf<typeof OF_THROTTLES> : never)
  | (R["reads"] extends string ? OneOf<typeof OF_THROTTLES> : never)
  | (R["request"] extends { query: { shape: { page: unknown } } } ? OneOf<typeof OF_THROTTLES> : never)
  | (R extends { idempotent: true } ? OneOf<typeof OF_IDEMPOTENCY> : never)
  | (R["access"] extends "public" ? never : OneOf<typeof OF_CALLERS>)
  | (R extends { apiKeys: false }
      ? OneOf<typeof OF_REFUSED_KEYS>
      : R extends { apiKeys: true }
        ? never
        : R["access"] extends "signed-in" | "platform-admin"
          ? OneOf<typeof OF_REFUSED_KEYS>
          : never)
  | ErrorsOfApps<R>
  | (R["access"] extends "api-key" | "app" ? typeof notFound : never)
  | (R extends { existsIf: unknown } ? typeof notFound : never)
  | (R["access"] extends "public"
      ? never
      : R extends { worksBeforeTwoFactor: true }
        ? never
        : OneOf<typeof OF_FULL_SESSIONS>)
  | (R extends { reauthentication: object } ? OneOf<typeof OF_RECENT_SIGN_INS> : never)
  | (R["access"] extends "signed-in"
      ? R extends { worksConfined: true }
        ? never
        : OneOf<typeof OF_RECENT_SIGN_INS>
      : never)
  | (R["access"] extends "platform-admin" ? OneOf<typeof OF_PLATFORM> : never)
  | (R["access"] extends { permission: string } | "member" ? OneOf<typeof OF_ORGANIZATIONS> : never)
  | (R["access"] extends { permission: string } | "member"
      ? R extends { reauthentication: object }
        ? OneOf<typeof OF_AUTHORITY>
        : never
      : never)
  | (R["access"] extends { crossOrganization: true } | string ? never : OneOf<typeof OF_ONE_ORGANIZATION>)
  | (R["access"] extends { permission: string } ? OneOf<typeof OF_PERMISSIONS> : never)
  | (R extends { permittedIf: unknown } ? OneOf<typeof OF_PERMISSIONS> : never)
  | (R["access"] extends { feature: string } ? OneOf<typeof OF_FEATURES> : never)
  | (R["refusesPlatformAdmins"] extends infer Refused extends ErrorFactory ? Refused : never);

/** The counterpart of `allowsApps` on the level of types. */
type ErrorsOfApps<R extends RouteDefinition> = R["access"] extends "product"
  ? never
  : R["access"] extends "public"
    ? R extends { refreshCookie: string }
      ? OneOf<typeof OF_REFUSED_APPS>
      : never
    : R extends { apps: true }
      ? ErrorsOfScopes<R>
      : R extends { apps: false }
        ? OneOf<typeof OF_REFUSED_APPS>
        : R extends { method: "get"; access: "member" | { permission: string } }
          ? ErrorsOfScopes<R>
          : OneOf<typeof OF_REFUSED_APPS>;
type ErrorsOfScopes<R extends RouteDefinition> = R["access"] extends { permission: string }
  ? OneOf<typeof OF_APPS>
  : never;

type Thrown<R extends RouteDefinition> =
  | (R["errors"] extends readonly (infer Own)[] ? Own : never)
  | SharedErrors<R>;
type StatusOf<Errors> = Errors extends ErrorFactory<never[], infer Status> ? Status : never;
/** The body of an error: the common properties and those of its code. */
type BodyOf<One, Status> = One extends { status: Status; code: infer Code }
  ? { statusCode: Status; code: Code; message: string; requestId: string } & AddedBy<One>
  : never;
type AddedBy<One> = One extends { body: infer Body extends z.ZodObject }
  ? z.output<Body> & { [Key in Exclude<"errors" | "details", keyof z.output<Body>>]?: never }
  : { errors?: never; details?: never };

/** The error responses, by status, each with its codes and their properties. */
export type ErrorsOf<R extends RouteDefinition> = {
  [Status in StatusOf<Thrown<R>> & StatusCode]: TypedResponse<BodyOf<Thrown<R>, Status>, Status, "json">;
}[StatusOf<Thrown<R>> & StatusCode];

/**
 * The responses that a client can receive. Responses without JSON are included, so that `status` narrows the union.
 */
export type ResponsesOf<R extends RouteDefinition> =
  | { [Status in StatusesOf<R>]: Responded<R, Status, TypedResponse<null, Status, "body">> }[StatusesOf<R>]
  | ErrorsOf<R>;

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
import { insufficientScope } from "../access/app-errors.ts";
import {
  apiKeyNotAllowed,
  appNotAllowed,
  forbidden,
  ipNotAllowed,
  organizationHeaderRequired,
  organizationOfKeyIsSuspended,
  organizationOverrideForbidden,
  organizationRequired,
  planFeatureRequired,
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
} from "../forms/image-limits.ts";
import { idempotencyKeyInUse, idempotencyKeyReused } from "../idempotency/errors.ts";
import { theProduct } from "../manifest/current.ts";
import { type RouteDefinition, readLimitOf } from "./route.ts";

/**
 * Returns every error that a route may respond with, for the OpenAPI document: those that the feature itself throws, and
 * those that follow from the route's definition. The order decides which of them is shown as the example of a status.
 */
export function errorsOf(definition: RouteDefinition): ErrorFactory[] {
  const { access, method, throttle, request, refusesPlatformAdmins, errors = [] } = definition;
  // An error of another shape than ours is among the responses.
  if (definition.errorShape !== undefined) return definition.existsIf ? [notFound] : [];
  const body = request?.body?.kind;
  const hasBody = method !== "get";
  const isPublic = access === "public";
  const isProduct = access === "product";
  const permission = typeof access === "object" ? access : null;
  const actsInOne = access === "member" || permission !== null;
  const isThrottled = throttle !== undefined && throttle.response === undefined;
  return [
    ...errors,
    validationFailed,
    internalError,
    serviceUnavailable,
    ...when(hasBody, payloadTooLarge, requestTimeout, tooManyRequests),
    ...when(hasBody && body !== "raw", malformedJson, unsupportedMediaType),
    ...when(
      body === "form",
      tooManyImages,
      malformedImage,
      imageTooLarge,
      unsupportedImage,
      uploadQuotaExceeded,
    ),
    ...when(isThrottled || readLimitOf(definition) !== null, tooManyRequests),
    ...when(definition.idempotent, idempotencyKeyInUse, idempotencyKeyReused),
    ...when(
      !isPublic && !isProduct,
      unauthenticated,
      organizationOverrideForbidden,
      tooManyRequests,
      ipNotAllowed,
      organizationOfKeyIsSuspended,
    ),
    ...when(isProduct, productKeyRequired, tooManyRequests),
    ...when(!allowsApiKeys(definition) && !isProduct && access !== "app", apiKeyNotAllowed),
    ...when(!isProduct && !allowsApps(definition), appNotAllowed),
    ...when(permission !== null && allowsApps(definition), insufficientScope),
    ...when(theProduct() !== null && !isPublic && !isProduct && !definition.productKey, productKeyNotAllowed),
    ...when(access === "api-key" || access === "app" || definition.existsIf, notFound),
    ...when(!isPublic && !isProduct && !definition.worksBeforeTwoFactor, twoFactorRequired),
    ...when(definition.reauthentication || isRefusedConfined(definition), reauthenticationRequired),
    ...when(access === "platform-admin", platformAdminRequired),
    ...when(isSingleOrganization(access), organizationHeaderRequired, notFound),
    ...when(actsInOne, organizationRequired),
    ...when(actsInOne && definition.reauthentication, ssoRequired),
    ...when(permission !== null, forbidden),
    ...when(permission?.feature, planFeatureRequired),
    ...(refusesPlatformAdmins === undefined ? [] : [refusesPlatformAdmins]),
    ...when(definition.permittedIf, forbidden),
  ];
}

const when = (applies: unknown, ...errors: ErrorFactory[]): ErrorFactory[] => (applies ? errors : []);

/** Whether the route refuses sessions that were only proven by connections. */
const isRefusedConfined = ({ access, worksConfined }: RouteDefinition) =>
  access === "signed-in" && worksConfined !== true;

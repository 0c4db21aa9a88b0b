/* Schemas of fields, errors by code, and texts. */

export { appNotAllowed, clientNotApproved, insufficientScope } from "../core/access/app-errors.ts";
export {
  forbidden,
  organizationIsSuspended,
  permissionNotHeld,
  unauthenticated,
  unitForbidden,
} from "../core/access/errors.ts";
export {
  checkEvenIfFieldsFail,
  email,
  jsonSchema,
  language,
  longText,
  pathId,
  productText,
  singleLine,
  textExample,
  timestamp,
  uuid,
} from "../core/definitions/fields.ts";
export { isObject } from "../core/definitions/known-parts.ts";
export { canonicalJson } from "../platform/canonical-json.ts";
export {
  ApiError,
  conflict,
  defineError,
  type ErrorShape,
  malformedJson,
  notFound,
  providerError,
  serviceUnavailable,
  sizeLimitReached,
  tooManyRequests,
  unsupportedMediaType,
  validationFailed,
} from "../platform/errors.ts";
export { fromStored, type Language, toStored } from "../platform/i18n/languages.ts";
export { hasControl, isBlank, isInvisible, trimmed, withoutControl } from "../platform/text.ts";
export type { Violation } from "../platform/violations.ts";

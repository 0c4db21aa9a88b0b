/* Schemas of fields, errors by code, and texts. */

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
export {
  ApiError,
  conflict,
  defineError,
  notFound,
  serviceUnavailable,
  sizeLimitReached,
  tooManyRequests,
  validationFailed,
} from "../platform/errors.ts";
export type { Language } from "../platform/i18n/languages.ts";
export { hasControl, isBlank, isInvisible, trimmed, withoutControl } from "../platform/text.ts";
export type { Violation } from "../platform/violations.ts";

import { type Client, type ClientOptions, createClientIn } from "./client.ts";
import { environmentOf } from "./environment.ts";

/**
 * Creates a client of the API, one for the whole page, and checks at once whether there is a session.
 * @throws nothing: failures are reported by `session` and by the requests
 */
export function createClient(options: ClientOptions): Client {
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  return createClientIn(environmentOf(baseUrl, options.fetch), { ...options, baseUrl });
}

export type { Claims, UnitGrant } from "./claims.ts";
export type { Client, ClientOptions } from "./client.ts";
export {
  ApiError,
  type ApiErrorOf,
  ConnectionError,
  type FieldError,
  isApiError,
  type ReauthenticationDetails,
  type RequestError,
} from "./errors.ts";
export type { NotificationEvent, StreamStatus } from "./notifications.ts";
export type { Passkeys } from "./passkeys.ts";
export type { Session } from "./session.ts";
export { type Call, type Settled, settle } from "./settle.ts";
export type {
  CallbackError,
  CallbackOutcome,
  SecondFactor,
  SecondFactorMethod,
  SignInOutcome,
} from "./sign-in-methods.ts";
export type { NotificationStream, StreamOptions } from "./streams.ts";
export type { SignedOutReason } from "./tabs.ts";
export type {
  Endpoint,
  ListEndpoint,
  OptionalArguments,
  PermissionName,
  RequestOptions,
  Result,
  Row,
  Schemas,
  UploadEndpoint,
  UploadOptions,
  UploadProgress,
} from "./types.ts";

import { timers } from "./environment.ts";
import { createMachineClientIn, type MachineClient, type MachineClientOptions } from "./machine-client.ts";

/**
 * Creates a client of the API for a machine, which has an API key instead of a session.
 * @throws nothing: failures are reported by the requests
 */
export const createMachineClient = (options: MachineClientOptions): MachineClient =>
  createMachineClientIn(timers, options);

export {
  ApiError,
  type ApiErrorOf,
  ConnectionError,
  type FieldError,
  isApiError,
  type RequestError,
} from "./errors.ts";
export type { EventsOptions, PolledEvent } from "./event-polling.ts";
export type {
  MachineClient,
  MachineClientOptions,
  MachineEndpoint,
  MachineListEndpoint,
  MachineRequestOptions,
  MachineUploadEndpoint,
  MachineUploadOptions,
} from "./machine-client.ts";
export { type Call, type Settled, settle } from "./settle.ts";
export type { EventOf, EventType, Result, Row, Schemas } from "./types.ts";

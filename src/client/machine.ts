import { timers } from "./environment.ts";
import {
  type AppClient,
  type AppClientOptions,
  createMachineClientIn,
  type MachineClient,
  type MachineClientOptions,
} from "./machine-client.ts";

/**
 * Creates a client of the API for a machine, which has an API key instead of a session, or for a connected app, which has a
 * token of the person for whom it acts.
 * @throws nothing: failures are reported by the requests
 */
export function createMachineClient(options: MachineClientOptions): MachineClient;
export function createMachineClient(options: AppClientOptions): AppClient;
export function createMachineClient(options: MachineClientOptions | AppClientOptions): object {
  return createMachineClientIn(timers, options);
}

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
  AppClient,
  AppClientOptions,
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

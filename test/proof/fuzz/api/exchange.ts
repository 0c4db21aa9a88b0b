import type { Service } from "../../../support/service.ts";
import type { Fixture } from "./fixture.ts";
import type { RequestPlan } from "./requests.ts";
import { type ApiResponse, type BuiltRequest, sendWithRetries } from "./send.ts";
import { readTableRows } from "./table-rows.ts";

/** The kinds of findings. */
export type Kind =
  | (
      | "server error"
      | "undocumented"
      | "header"
      | "leak"
      | "access"
      | "list"
      | "session"
      | "changed"
      | "deleted"
    )
  | ("existence" | "written" | "recipient" | "replayed");

/** A detected problem: its kind and a description. */
export type Finding = { kind: Kind; what: string };

/** A request that was sent, its response, and all that checks of it need. */
export type Exchange = {
  plan: RequestPlan;
  request: BuiltRequest;
  response: ApiResponse;
  fixture: Fixture;
  t: Service;
  /** The time at which the request was sent; the database has the same clock. */
  since: Date;
  /** The rows before the request; null if they are not compared. */
  rows: Record<string, string> | null;
  isProviderAway: boolean;
  /** All ids in requests of this case so far; a response may repeat them. */
  sentIds: Set<string>;
  /** Builds the same request with an id that does not exist instead of another organization's. */
  withUnknownId(): BuiltRequest;
};

/** Checks an exchange, with further requests if needed. Returns null if it is as it must be. */
export type Check = (exchange: Exchange) => Finding | null | Promise<Finding | null>;

/** Returns a finding about the request, unless there is no problem. */
export const finding = (kind: Kind, { request }: Exchange, problem: string | null): Finding | null =>
  problem === null ? null : { kind, what: `${request.line}\n    ${problem}` };

/** Sends a request as the caller of an exchange, by default a read of a path. */
export const sendAgain = (
  { request, t }: Exchange,
  change: Partial<BuiltRequest> = {},
): Promise<ApiResponse> => sendWithRetries(t.url, { ...request, ...change });
export const readAgain = (exchange: Exchange, path: string): Promise<ApiResponse> => {
  const { headers } = exchange.request.init;
  return sendAgain(exchange, { method: "GET", path, init: { headers: { ...(headers as object) } } });
};

const UNKNOWN_USER = "00000000-0000-7000-8000-000000000000";
/** Reads the rows of the organization of most callers. */
export const ownRows = (t: Service, { organizations: { own } }: Fixture): Promise<Record<string, string>> =>
  readTableRows(t, own.id, UNKNOWN_USER);
export const changedTables = (before: Record<string, string>, after: Record<string, string>): string[] =>
  Object.keys(before).filter((table) => before[table] !== after[table]);

/** Describes the changes of tables. */
export const changesOf = (tables: string[], before: Record<string, string>, after: Record<string, string>) =>
  tables
    .map((table) => `${table} was\n${before[table]}\n    and is\n${after[table]}`)
    .join("\n")
    .slice(0, 3000);

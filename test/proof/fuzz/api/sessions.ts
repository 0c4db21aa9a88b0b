import { addressOf } from "../../../support/seeds.ts";
import { CALLERS, type CallerName } from "./callers.ts";
import { claimsOf } from "./claims.ts";
import { type Check, type Exchange, finding, sendAgain } from "./exchange.ts";
import { operationSet } from "./operations.ts";
import type { ApiResponse } from "./send.ts";

/*
 * Checks that an ended session cannot be refreshed, and that the reuse of a refresh token ends its session with all
 * successors of the token.
 */

const ROTATING_OPERATIONS = operationSet("refresh", "switchOrganization");
const cookieIn = ({ headers }: ApiResponse): string | null =>
  headers.getSetCookie().flatMap((cookie) => /^refresh_token=([^;]+)/.exec(cookie)?.[1] ?? [])[0] ?? null;

const refresh = (exchange: Exchange, cookie: string): Promise<ApiResponse> =>
  sendAgain(exchange, {
    path: "/api/auth/refresh",
    init: {
      method: "POST",
      headers: { cookie: `refresh_token=${cookie}`, "x-forwarded-for": addressOf(cookie) },
    },
  });

type CallerCookie = [caller: CallerName, cookie: string | null];

/** Returns the cookies of sessions that a successful request ends, with their callers. */
function endedBy({ plan, request, response: { body }, fixture }: Exchange): CallerCookie[] {
  const { operation, caller, credentials } = plan;
  const { params, token, value } = request;
  const { userIds, secondSessions, callers, organizations, links } = fixture;
  const secondSession = (name: CallerName | undefined): CallerCookie[] =>
    name === undefined || secondSessions[name] === undefined ? [] : [[name, secondSessions[name].cookie]];
  const organizationOf = (accessToken: string | null) =>
    accessToken === null ? undefined : claimsOf(accessToken).organization?.id;
  const actingIn = (id: string | undefined) =>
    CALLERS.filter((name) => id !== undefined && organizationOf(callers[name].accessToken) === id);
  const firstActing = () =>
    actingIn(params.id)
      .slice(0, 3)
      .map((name): CallerCookie => [name, callers[name].cookie]);
  switch (operation) {
    case "changePassword":
    case "endOtherOwnSessions":
    case "deleteProfile":
      return credentials === "own" ? secondSession(caller) : [];
    case "cancelEmailChange":
    case "undoEmailChange":
      return (value as { token?: string } | null)?.token === links.get(caller) ? secondSession(caller) : [];
    case "logout":
      return credentials === "own" ? [[caller, callers[caller].cookie]] : [];
    case "resetPassword":
      return secondSession("auditor");
    case "endSessionsOfUser":
    case "deleteUser":
      return secondSession(CALLERS.find((name) => userIds[name] === params.id));
    case "endOwnSession":
      return secondSession(CALLERS.find((name) => secondSessions[name]?.sid === params.id));
    case "removeMember":
      return actingIn(organizationOf(token))
        .filter((name) => userIds[name] === params.userId)
        .map((name) => [name, callers[name].cookie]);
    case "setOrganizationStatus":
      // The organization `suspended` was suspended before the request, so no session ends.
      if ((body as { status?: string }).status !== "SUSPENDED" || params.id === organizations.suspended.id)
        return [];
      return firstActing();
    case "deleteOrganization":
      return firstActing();
    default:
      return [];
  }
}

/** Tries to refresh the sessions that a request has ended. */
export const checkEndedSessions: Check = async (exchange) => {
  for (const [name, cookie] of endedBy(exchange)) {
    const { status } = cookie === null ? { status: 401 } : await refresh(exchange, cookie);
    const problem = `ends the sessions of ${name}, and a refresh of one of them returns ${status}`;
    if (status !== 401) return finding("session", exchange, problem);
  }
  return null;
};

/** Reuses a refresh token that was rotated twice. It counts as stolen, so its session must end (rules 5.8). */
export const checkTokenReuse: Check = async (exchange) => {
  const { plan, request, response } = exchange;
  const { cookie: sent = "" } = request.init.headers as Record<string, string>;
  const used = /refresh_token=([^;]+)/.exec(sent)?.[1];
  const successor = cookieIn(response);
  const isChecked = ROTATING_OPERATIONS.has(plan.operation) && plan.sampleKey % 4 === 0;
  if (!isChecked || used === undefined || successor === null) return null;
  const newest = cookieIn(await refresh(exchange, successor));
  if (newest === null) return null;
  for (const [cookie, description] of [
    [used, "which was rotated twice"],
    [newest, "whose predecessor was used again"],
  ] as const) {
    const { status } = await refresh(exchange, cookie);
    const problem = `a refresh with a token ${description} returns ${status}`;
    if (status !== 401) return finding("session", exchange, problem);
  }
  return null;
};

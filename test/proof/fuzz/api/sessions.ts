import { claimsOf } from "../../../support/caller.ts";
import { addressOf } from "../../../support/seeds.ts";
import { CALLERS, type CallerName } from "./callers.ts";
import type { Finding } from "./oracles.ts";
import type { Plan } from "./requests.ts";
import { type Answer, type Sent, sendPatiently } from "./send.ts";
import type { World } from "./world.ts";

/*
 * Sessions that were ended do not refresh any more, and a refresh token that is used again ends all of them.
 */

const ROTATE = new Set(["refresh", "switchOrganization"]);
const cookieIn = ({ headers }: Answer): string | null =>
  headers.getSetCookie().flatMap((cookie) => /^refresh_token=([^;]+)/.exec(cookie)?.[1] ?? [])[0] ?? null;

const refresh = (request: Sent, url: string, cookie: string): Promise<Answer> =>
  sendPatiently(url, {
    ...request,
    method: "POST",
    path: "/api/auth/refresh",
    init: {
      method: "POST",
      headers: { cookie: `refresh_token=${cookie}`, "x-forwarded-for": addressOf(cookie) },
    },
  });

/** The sessions that a successful request ends: whose, and their cookies. */
function endedBy(
  { operation, caller, credentials }: Plan,
  { params, token }: Sent,
  { body }: Answer,
  world: World,
): [CallerName, string | null][] {
  const { people, others, callers, organizations } = world;
  const other = (name: CallerName | undefined): [CallerName, string | null][] =>
    name === undefined || others[name] === undefined ? [] : [[name, others[name].cookie]];
  const organizationOf = (accessToken: string | null) =>
    accessToken === null ? undefined : claimsOf(accessToken).organization?.id;
  const actingIn = (id: string | undefined) =>
    CALLERS.filter((name) => id !== undefined && organizationOf(callers[name].accessToken) === id);
  switch (operation) {
    case "changePassword":
    case "endOtherOwnSessions":
    case "deleteProfile":
      return credentials === "own" ? other(caller) : [];
    case "logout":
      return credentials === "own" ? [[caller, callers[caller].cookie]] : [];
    case "resetPassword":
      return other("auditor");
    case "endSessionsOfUser":
    case "deleteUser":
      return other(CALLERS.find((name) => people[name] === params.id));
    case "endOwnSession":
      return other(CALLERS.find((name) => others[name]?.sid === params.id));
    case "removeMember":
      return actingIn(organizationOf(token))
        .filter((name) => people[name] === params.userId)
        .map((name) => [name, callers[name].cookie]);
    case "setOrganizationStatus":
      // What is suspended already ends nothing.
      if ((body as { status?: string }).status !== "SUSPENDED" || params.id === organizations.suspended.id)
        return [];
      return actingIn(params.id)
        .slice(0, 3)
        .map((name) => [name, callers[name].cookie]);
    case "deleteOrganization":
      return actingIn(params.id)
        .slice(0, 3)
        .map((name) => [name, callers[name].cookie]);
    default:
      return [];
  }
}

/** A session that lives though a request ended it. */
export async function livingSession(
  plan: Plan,
  request: Sent,
  answer: Answer,
  world: World,
  url: string,
): Promise<Finding | null> {
  for (const [name, cookie] of endedBy(plan, request, answer, world)) {
    if (cookie === null) continue;
    const { status } = await refresh(request, url, cookie);
    if (status !== 401)
      return {
        kind: "session",
        what: `${request.line}\n    ends the sessions of ${name}, and one of them still refreshes: ${status}`,
      };
  }
  return null;
}

/** Uses a token again that was rotated twice: that is theft, and ends the session of its successors too (rules 5.8). */
export async function unnoticedReuse(
  plan: Plan,
  request: Sent,
  answer: Answer,
  url: string,
): Promise<Finding | null> {
  const old = /refresh_token=([^;]+)/.exec(
    (request.init.headers as Record<string, string>).cookie ?? "",
  )?.[1];
  const successor = cookieIn(answer);
  if (!ROTATE.has(plan.operation) || plan.dice % 4 !== 0 || old === undefined || successor === null)
    return null;
  const newest = cookieIn(await refresh(request, url, successor));
  if (newest === null) return null;
  for (const [cookie, whose] of [
    [old, "which was rotated twice"],
    [newest, "after another was used again"],
  ] as const) {
    const { status } = await refresh(request, url, cookie);
    if (status !== 401)
      return {
        kind: "session",
        what: `${request.line}\n    a refresh token, ${whose}, still refreshes: ${status}`,
      };
  }
  return null;
}

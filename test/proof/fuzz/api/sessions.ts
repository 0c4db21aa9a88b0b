import { addressOf } from "../../../support/seeds.ts";
import { type Check, type Exchange, finding, sendAgain } from "./exchange.ts";
import { operationSet } from "./operations.ts";
import type { ApiResponse } from "./send.ts";

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

import { claimsOf } from "../../../support/caller.ts";
import { byId } from "./operations.ts";
import type { Plan } from "./requests.ts";
import type { Answer } from "./send.ts";
import { PATH_KINDS } from "./values.ts";
import type { World } from "./world.ts";

/** Keeps what an answer brought: tokens as a browser does, ids for later requests. */
export function remember(plan: Plan, world: World, { status, body, headers }: Answer): void {
  const caller = world.callers[plan.caller];
  const brought = (body as { accessToken?: string } | null)?.accessToken;
  // Signed in as somebody else, as with a link of theirs: that is another browser.
  const isOther = typeof brought === "string" && claimsOf(brought).sub !== world.people[plan.caller];
  const isKept = plan.credentials !== "cookie of another" && plan.operation !== "finishProviderSignIn";
  if (plan.caller !== "anonymous" && isKept && !isOther) {
    const cookie = headers.getSetCookie().find((value) => value.startsWith("refresh_token="));
    if (cookie !== undefined)
      caller.cookie = cookie.slice("refresh_token=".length, cookie.indexOf(";")) || null;
    if (status === 200 && typeof brought === "string") caller.accessToken = brought;
  }
  if (status >= 300) return;
  const path = byId.get(plan.operation)?.path ?? "";
  const kind = PATH_KINDS[path.split("/").findLast((part) => part in PATH_KINDS) ?? ""];
  const keep = (kind: string | undefined, one: unknown) => {
    const { id, userId = id } = (one ?? {}) as { id?: unknown; userId?: unknown };
    if (kind !== undefined && typeof userId === "string" && world.found.length < 1_000)
      world.found.push({ kind, id: userId, caller: plan.caller });
  };
  const { data, messages } = (body ?? {}) as { data?: unknown; messages?: { attachments?: unknown[] }[] };
  for (const one of listOf(body, data).slice(0, 5)) keep(kind, one);
  const replies = messages ?? [body as { attachments?: unknown[] } | null];
  for (const one of replies.flatMap((message) => message?.attachments ?? [])) keep("attachment", one);
}

const listOf = (body: unknown, data: unknown): unknown[] =>
  Array.isArray(data) ? data : Array.isArray(body) ? body : [body];

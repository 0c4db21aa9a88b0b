import { claimsOf } from "./claims.ts";
import type { Fixture } from "./fixture.ts";
import { byId, operationSet } from "./operations.ts";
import type { RequestPlan } from "./requests.ts";
import type { ApiResponse } from "./send.ts";
import { PATH_KINDS } from "./values.ts";

const MAX_RECORDED_IDS = 1_000;
const IDS_PER_RESPONSE = 5;

/** Operations that return a delivery. */
const TESTS = operationSet("testWebhookEndpoint");

/** Stores the tokens in a response as a browser does, and its ids for later requests. */
export function recordResponse(
  plan: RequestPlan,
  fixture: Fixture,
  { status, body, headers }: ApiResponse,
): void {
  const caller = fixture.callers[plan.caller];
  const accessToken = (body as { accessToken?: string } | null)?.accessToken;
  // A request can sign in another user, for example by the link of an invitation. The session then belongs to
  // another browser.
  const isOtherUser =
    typeof accessToken === "string" && claimsOf(accessToken).sub !== fixture.userIds[plan.caller];
  const isStored = plan.credentials !== "cookie of another" && plan.operation !== "finishProviderSignIn";
  if (plan.caller !== "anonymous" && isStored && !isOtherUser) {
    const cookie = headers.getSetCookie().find((value) => value.startsWith("refresh_token="));
    if (cookie !== undefined)
      caller.cookie = cookie.slice("refresh_token=".length, cookie.indexOf(";")) || null;
    if (status === 200 && typeof accessToken === "string") caller.accessToken = accessToken;
  }
  if (status >= 300) return;
  const path = byId.get(plan.operation)?.path ?? "";
  const kind = TESTS.has(plan.operation)
    ? "webhookDelivery"
    : PATH_KINDS[path.split("/").findLast((part) => part in PATH_KINDS) ?? ""];
  const recordId = (kind: string | undefined, record: unknown) => {
    const { id, userId = id } = (record ?? {}) as { id?: unknown; userId?: unknown };
    if (kind !== undefined && typeof userId === "string" && fixture.recordedIds.length < MAX_RECORDED_IDS)
      fixture.recordedIds.push({ kind, id: userId, caller: plan.caller });
  };
  const { data, messages } = (body ?? {}) as { data?: unknown; messages?: { attachments?: unknown[] }[] };
  for (const record of listOf(body, data).slice(0, IDS_PER_RESPONSE)) recordId(kind, record);
  const replies = messages ?? [body as { attachments?: unknown[] } | null];
  for (const attachment of replies.flatMap((message) => message?.attachments ?? []))
    recordId("attachment", attachment);
}

const listOf = (body: unknown, data: unknown): unknown[] =>
  Array.isArray(data) ? data : Array.isArray(body) ? body : [body];

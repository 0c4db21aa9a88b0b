import { recordAppSecrets } from "./apps.ts";
import { claimsOf } from "./claims.ts";
import { tokenIn } from "./connections.ts";
import type { Fixture } from "./fixture.ts";
import { byId, operationSet } from "./operations.ts";
import type { RequestPlan } from "./requests.ts";
import type { ApiResponse } from "./send.ts";
import { PATH_KINDS } from "./values.ts";

const MAX_RECORDED_IDS = 1_000;
const IDS_PER_RESPONSE = 5;

/** The kind of record in the response of operations whose path names another one. */
const RESPONSE_KINDS: Record<string, string> = {
  ...{ testWebhookEndpoint: "webhookDelivery", testConnection: "test", approveJoinRequest: "user" },
  ...{ listPlatformOAuthClients: "operatorClient", createPlatformOAuthClient: "operatorClient" },
};
operationSet(...Object.keys(RESPONSE_KINDS));

/** Stores the tokens in a response as a browser does, and its ids for later requests. */
export function recordResponse(
  plan: RequestPlan,
  fixture: Fixture,
  { status, body, headers }: ApiResponse,
): void {
  const caller = fixture.callers[plan.caller];
  const accessToken = (body as { accessToken?: string } | null)?.accessToken ?? tokenIn(headers);
  // A request can sign in another user, for example by the link of an invitation. The session then belongs to
  // another browser.
  const isOtherUser =
    typeof accessToken === "string" && claimsOf(accessToken).sub !== fixture.userIds[plan.caller];
  const isStored = plan.credentials !== "cookie of another" && plan.operation !== "finishProviderSignIn";
  if (plan.caller !== "anonymous" && isStored && !isOtherUser) {
    const cookie = headers.getSetCookie().find((value) => value.startsWith("refresh_token="));
    if (cookie !== undefined)
      caller.cookie = cookie.slice("refresh_token=".length, cookie.indexOf(";")) || null;
    if (status < 400 && typeof accessToken === "string") caller.accessToken = accessToken;
  }
  if (status >= 300) return;
  recordAppSecrets(plan, fixture, body);
  const path = byId.get(plan.operation)?.path ?? "";
  const kind =
    RESPONSE_KINDS[plan.operation] ??
    PATH_KINDS[path.split("/").findLast((part) => part in PATH_KINDS) ?? ""];
  const recordId = (kind: string | undefined, record: unknown) => {
    const ids = (record ?? {}) as { id?: unknown; testId?: unknown; userId?: unknown };
    const { id = ids.testId, userId = id } = ids;
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

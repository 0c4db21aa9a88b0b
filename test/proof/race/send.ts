import type { SignedEvent } from "../../../src/dev/payments.ts";
import type { Fixture, Person } from "./fixture.ts";

/** The HTTP request of a write. */
export type ActionRequest = {
  method: string;
  path: string;
  who: Pick<Person, "token"> | null;
  body?: unknown;
  cookie?: string;
  headers?: Record<string, string>;
  raw?: string;
};
export type Sign = (type: string, customer: string, id: string) => SignedEvent;
export type Action = (fixture: Fixture, sign: Sign) => ActionRequest;

export const post = (
  path: string,
  who: ActionRequest["who"],
  body?: unknown,
  more: Partial<ActionRequest> = {},
): ActionRequest => ({
  ...{ method: "POST", path, who, ...(body !== undefined && { body }) },
  ...more,
});
export const patch = (path: string, who: ActionRequest["who"], body: unknown): ActionRequest => ({
  method: "PATCH",
  path,
  who,
  body,
});
export const remove = (path: string, who: ActionRequest["who"]): ActionRequest => ({
  method: "DELETE",
  path,
  who,
});

/** How long a client waits before it repeats a request whose idempotency key is in use. */
const IN_USE_MS = 50;

/**
 * Sends the request of a write to an instance. Repeats it while its idempotency key is in use, as clients do.
 * Returns the status, the error code, whether it set a cookie, and whether it is a stored response.
 */
export async function perform(url: string, address: string, request: ActionRequest): Promise<string> {
  for (;;) {
    const response = await performOnce(url, address, request);
    if (!response.includes("IDEMPOTENCY_KEY_IN_USE")) return response;
    await Bun.sleep(IN_USE_MS);
  }
}

async function performOnce(
  url: string,
  address: string,
  { method, path, who, body, cookie, headers, raw }: ActionRequest,
): Promise<string> {
  const response = await fetch(url + path, {
    method,
    headers: {
      "x-forwarded-for": address,
      ...(who && { authorization: `Bearer ${who.token}` }),
      ...(cookie && { cookie: `refresh_token=${cookie}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(raw !== undefined ? { body: raw } : body !== undefined && { body: JSON.stringify(body) }),
    redirect: "manual",
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  const refusal = /#error=(\w+)/.exec(response.headers.get("location") ?? "")?.[1];
  const error = response.status >= 400 ? (JSON.parse(text) as { code: string }).code : refusal;
  const code = error === undefined ? "" : ` ${error}`;
  const set = response.headers.getSetCookie().some((value) => /^refresh_token=[^;]/.test(value));
  const replayed = response.headers.get("idempotent-replayed") === "true" ? " replayed" : "";
  return `${response.status}${code}${set ? " with a cookie" : ""}${replayed}`;
}

import type { SignedEvent } from "../../../src/dev/payments.ts";
import type { Fixture, Person } from "./fixture.ts";

/** The HTTP request of a write. */
export type ActionRequest = {
  method: string;
  path: string;
  who: Person | null;
  body?: unknown;
  cookie?: string;
  headers?: Record<string, string>;
  raw?: string;
};
export type Sign = (type: string, customer: string, id: string) => SignedEvent;
export type Action = (fixture: Fixture, sign: Sign) => ActionRequest;

export const post = (
  path: string,
  who: Person | null,
  body?: unknown,
  more: Partial<ActionRequest> = {},
): ActionRequest => ({
  ...{ method: "POST", path, who, ...(body !== undefined && { body }) },
  ...more,
});
export const patch = (path: string, who: Person, body: unknown): ActionRequest => ({
  method: "PATCH",
  path,
  who,
  body,
});
export const remove = (path: string, who: Person): ActionRequest => ({ method: "DELETE", path, who });

/** Sends an action's request to an instance. Returns the status, the code of the error, and whether it set a cookie. */
export async function perform(
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
  return `${response.status}${code}${set ? " with a cookie" : ""}`;
}

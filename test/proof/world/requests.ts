import type { SignedEvent } from "../../../src/dev/payments.ts";
import { roleOf, type World } from "./world.ts";

/** An HTTP request with its credentials. */
export type HttpRequest = {
  method: string;
  path: string;
  token?: string | null;
  cookie?: string | null;
  body?: unknown;
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
};

/**
 * A write as data: who sends it, its method and path below /api, its body, and further headers or a refresh cookie.
 * `{name}` stands for the id or text of this name in a world.
 */
export type Action = readonly [
  who: string,
  call: string,
  body?: unknown,
  more?: { headers?: Record<string, string>; cookie?: string },
];
/** Signs an event of the payment provider. */
export type Sign = (type: string, customer: string, id: string) => SignedEvent;
/** Writes by their names. A function returns the request of a write that needs more than texts. */
export type Actions<W extends World = World> = Record<
  string,
  Action | ((world: W, sign: Sign) => HttpRequest)
>;

/** Builds the request of an action. Those without a token in the world send none. */
export function requestOf(world: World, action: Action): HttpRequest {
  const [who, call, body, more] = resolved(world, action);
  const [method = "", path = ""] = call.split(/ (.*)/);
  const sent = { method, path: `/api${path}`, token: world.tokens[who] ?? null, ...more };
  // In JSON, a body that is left out becomes null.
  return body == null ? sent : { ...sent, body };
}

const resolved = <T>({ ids, texts }: World, value: T): T =>
  JSON.parse(
    JSON.stringify(value).replaceAll(/\{([\w' .-]+)\}/g, (whole, name: string) => {
      const found = texts[name] ?? ids[name] ?? roleOf(name);
      if (found === "") throw new Error(`The world has no ${whole}`);
      return found;
    }),
  );

export type HttpResponse = {
  status: number;
  body: Record<string, unknown>;
  text: string;
  headers: Headers;
  /** The new refresh cookie; undefined if the response sets none, "" if it deletes it. */
  cookie: string | undefined;
};

/** Sends a request to an instance, with an address as a proxy would send it. */
export async function send(
  url: string,
  address: string,
  { method, path, token, cookie, body, raw, headers }: HttpRequest,
): Promise<HttpResponse> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(url + path, {
    method,
    headers: {
      "x-forwarded-for": address,
      ...(token && { authorization: `Bearer ${token}` }),
      ...(cookie && { cookie: `refresh_token=${cookie}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(payload !== undefined && { body: payload }),
    keepalive: false,
    redirect: "manual",
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const [set] = response.headers.getSetCookie().filter((one) => one.startsWith("refresh_token="));
  return {
    ...{ status: response.status, text, headers: response.headers },
    body: isJson ? JSON.parse(text) : {},
    cookie: set?.slice("refresh_token=".length).split(";")[0],
  };
}

/** Longer than any wait of the service; the longest is two timeouts of the storage. */
export const REQUEST_TIMEOUT_MS = 60_000;

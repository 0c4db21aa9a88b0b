import { afterEach, expect, test } from "bun:test";
import { createClientIn } from "../../src/client/client.ts";
import { browser, type Upload } from "../../src/client/dom.ts";
import { environmentOf } from "../../src/client/environment.ts";
import { settle } from "../../src/client/index.ts";

/* Uploads run against a stub of XMLHttpRequest, which Bun does not have. The stub only records the requests. */

class Noted implements Upload {
  static readonly all: Noted[] = [];
  readonly upload: Upload["upload"] = { onprogress: null };
  onload: Upload["onload"] = null;
  onerror: Upload["onerror"] = null;
  onabort: Upload["onabort"] = null;
  withCredentials = false;
  status = 0;
  responseText = "";
  readonly headers: Record<string, string> = {};
  form: FormData | null = null;
  where = "";
  open(method: string, url: string) {
    this.where = `${method} ${url}`;
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  getResponseHeader = (name: string) =>
    name === "content-type" && this.responseText.startsWith("{") ? "application/json" : null;
  send(form: FormData) {
    this.form = form;
    Noted.all.push(this);
  }
  abort() {
    this.onabort?.();
  }
  response(status: number, body: unknown) {
    this.status = status;
    this.responseText = JSON.stringify(body);
    this.onload?.();
  }
}

const MB = 1024 * 1024;
const ENDPOINT = "POST /api/support/tickets";
const claims = { sub: "u", sid: "s", iat: 0, exp: 900, permissions: [], roles: [], unitGrants: [] };
const accessToken = `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;

/** The timers that were set and not canceled. */
const timers = new Set<{ milliseconds: number; run: () => void }>();

/** Creates a client whose `fetch` returns a new access token for every request, and whose timers never run by themselves. */
function tab() {
  Object.assign(browser, { XMLHttpRequest: Noted });
  const after = (milliseconds: number, run: () => void) => {
    const timer = { milliseconds, run };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  const environment = { ...environmentOf(""), after, fetch: async () => Response.json({ accessToken }) };
  return createClientIn(environment, { baseUrl: "https://api.test" });
}
afterEach(() => {
  Object.assign(browser, { XMLHttpRequest: undefined });
  Noted.all.length = 0;
  timers.clear();
});

/** Starts an upload of a file with `bytes` bytes; returns the recorded request and its pending result. */
async function uploading(bytes: number, more: object = {}) {
  const client = tab();
  const form = { subject: "Help", category: "BUG" as const, images: [new Blob([new Uint8Array(bytes)])] };
  const outcome = settle(client.upload(ENDPOINT, { form, ...more }));
  while (Noted.all.length === 0) await Bun.sleep(1);
  return { client, outcome, request: Noted.all[0] as Noted };
}

test("a form is sent to its endpoint with the token, and returns the result", async () => {
  const { client, outcome, request } = await uploading(10);
  expect([request.where, request.withCredentials]).toEqual([
    "POST https://api.test/api/support/tickets",
    true,
  ]);
  expect(request.headers).toEqual({
    authorization: `Bearer ${accessToken}`,
    "idempotency-key": expect.any(String),
  });
  expect([...(request.form?.keys() ?? [])]).toEqual(["subject", "category", "images"]);
  request.response(201, { number: 12 });
  expect(await outcome).toMatchObject({ ok: true, data: { number: 12 } });
  client.close();
});

for (const [megabytes, seconds] of [
  [0.1, 120],
  [5, 160],
  [25, 290],
] as const)
  test(`a form of ${megabytes} MB times out after ${seconds} seconds`, async () => {
    const { client, outcome } = await uploading(megabytes * MB, { retries: 0 });
    const [timer] = timers;
    expect(Math.round((timer?.milliseconds ?? 0) / 1000)).toBe(seconds);
    timer?.run();
    expect(await outcome).toMatchObject({ ok: false, error: { name: "ConnectionError", code: "TIMEOUT" } });
    client.close();
  });

test("an upload reports the browser's progress events, and can be aborted", async () => {
  const progress: unknown[] = [];
  const abort = new AbortController();
  const { client, outcome, request } = await uploading(100, {
    onProgress: (now: unknown) => progress.push(now),
    signal: abort.signal,
  });
  request.upload.onprogress?.({ loaded: 50, total: 300 });
  expect(progress).toEqual([
    { sent: 0, total: 107 },
    { sent: 50, total: 300 },
  ]);
  abort.abort();
  expect((await outcome.catch((error) => error)).name).toBe("AbortError");
  client.close();
});

test("if an upload is rejected with 401, the token is refreshed and the form is sent once more", async () => {
  const { client, outcome, request } = await uploading(10);
  const error = { statusCode: 401, code: "UNAUTHENTICATED", message: "No", requestId: "x" };
  request.response(401, error);
  while (Noted.all.length === 1) await Bun.sleep(1);
  Noted.all[1]?.response(201, { number: 13 });
  expect(await outcome).toMatchObject({ ok: true, data: { number: 13 } });
  const [key, keyAgain] = Noted.all.map(({ headers }) => headers["idempotency-key"]);
  expect(keyAgain).toBe(key as string);
  client.close();
});

test("an upload rejects with the API's error code; a response that is not the API's is a connection error", async () => {
  const first = await uploading(10);
  const error = { statusCode: 413, code: "IMAGE_TOO_LARGE", message: "Too large", requestId: "x" };
  first.request.response(413, error);
  expect(await first.outcome).toMatchObject({ ok: false, error: { code: "IMAGE_TOO_LARGE", status: 413 } });
  first.client.close();
  Noted.all.length = 0;
  const second = await uploading(10);
  second.request.response(413, "<h1>Too large</h1>");
  expect(await second.outcome).toMatchObject({ ok: false, error: { code: "UNEXPECTED_RESPONSE" } });
  second.client.close();
});

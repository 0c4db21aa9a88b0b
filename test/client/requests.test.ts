import { expect, test } from "bun:test";
import { hc } from "hono/client";
import { developmentApi } from "../../src/app/api.ts";
import type { Api } from "../../src/client/hono.ts";
import { isFile } from "../../src/client/http.ts";
import { ApiError, ConnectionError, type Endpoint, isApiError, settle } from "../../src/client/index.ts";
import { openApiDocument } from "../../src/core/api/openapi.ts";
import { Jar, TestPage } from "../support/browser.ts";
import { until } from "../support/cluster.ts";
import { pngOfSize } from "../support/forms.ts";
import { createOrganization } from "../support/organizations.ts";
import { TestProxy } from "../support/proxy.ts";
import { startService } from "../support/service.ts";

const t = await startService();

/** Opens a tab that is signed in as an organization administrator. */
async function signedIn(url = t.url) {
  const { admin } = await createOrganization(t);
  const jar = new Jar(url);
  const tab = jar.tab({ heard: false });
  await tab.signIn(admin.account);
  return { jar, tab };
}

test("a request returns the API's response, or nothing if it is empty", async () => {
  const { tab } = await signedIn();
  const { id } = await tab.request("POST /api/todos", { body: { title: "Water the plants" } });
  const changed = await tab.request("PATCH /api/todos/{id}", { path: { id }, body: { completed: true } });
  expect([changed.completed, changed.title]).toEqual([true, "Water the plants"]);
  expect(await tab.request("DELETE /api/todos/{id}", { path: { id } })).toBeUndefined();
});

test("an API error has its code, and a validation error names the invalid fields", async () => {
  const { tab } = await signedIn();
  const invalid = await settle(tab.request("POST /api/todos", { body: { title: "" } }));
  if (invalid.ok || invalid.error.code !== "VALIDATION_FAILED") throw new Error("Taken");
  expect([invalid.error.status, invalid.error.fields]).toEqual([
    400,
    { title: ["title should not be empty"] },
  ]);
  expect(invalid.error.requestId).toBeString();

  const id = crypto.randomUUID();
  const absent = await tab.request("GET /api/todos/{id}", { path: { id } }).catch((error) => error);
  expect(absent).toBeInstanceOf(ApiError);
  expect(isApiError(absent, "GET /api/todos/{id}") && absent.code).toBe("NOT_FOUND");
  expect(isApiError(absent, "POST /api/todos")).toBe(false);
  expect(isApiError(new Error("other"))).toBe(false);
});

test("a response that is not the API's is a connection error, and an abort rejects with the caller's reason", async () => {
  const { jar, tab } = await signedIn();
  jar.through(async () => new Response("<h1>Bad Gateway</h1>", { status: 502 }));
  const outcome = await settle(tab.request("GET /api/profile"));
  expect(outcome.ok || [outcome.error.name, outcome.error.code]).toEqual([
    "ConnectionError",
    "UNEXPECTED_RESPONSE",
  ]);
  jar.through(() => Promise.reject(new TypeError("fetch failed")));
  const gone = await tab.request("GET /api/profile").catch((error) => error);
  expect([gone instanceof ConnectionError, gone.code]).toEqual([true, "NETWORK_ERROR"]);
  const reason = new Error("enough");
  expect(
    await tab.request("GET /api/profile", { signal: AbortSignal.abort(reason) }).catch((error) => error),
  ).toBe(reason);
});

test("an HTML page with status 200 is the connection error UNEXPECTED_RESPONSE for every kind of request", async () => {
  const { jar, tab } = await signedIn();
  const page = () => new Response("<!doctype html>", { headers: { "content-type": "text/html" } });
  jar.through(async () => page());
  const path = { id: crypto.randomUUID() };
  const calls = [
    () => tab.request("GET /api/todos"),
    () => tab.request("DELETE /api/todos/{id}", { path }),
    () => tab.request("GET /api/support/attachments/{id}", { path }),
    () => tab.raw("GET /api/audit-events/export", { query: { format: "csv" } }),
    () => tab.upload("POST /api/support/tickets", { form: { subject: "x", category: "BUG" } }),
    () => tab.refresh(),
    () => tab.signIn({ email: "ada@example.com", password: "a long one" }),
    () => Array.fromAsync(tab.rows("GET /api/todos")),
  ];
  for (const call of calls) {
    const error: unknown = await Promise.resolve(call()).catch((thrown) => thrown);
    expect([String(call), error instanceof ConnectionError && error.code]).toEqual([
      String(call),
      "UNEXPECTED_RESPONSE",
    ]);
  }
  const json = { "content-type": "application/json" };
  jar.through(async () => new Response("<!doctype html>", { headers: json }));
  expect(await tab.request("GET /api/todos").catch((error) => error.code)).toBe("UNEXPECTED_RESPONSE");
  expect(tab.session.get().status).toBe("signed-in");
});

test("the client knows which endpoints return a file instead of JSON", () => {
  const document = openApiDocument(developmentApi) as unknown as {
    paths: Record<string, Record<string, { responses: Record<string, { content?: object }> }>>;
  };
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { responses }] of Object.entries(methods)) {
      const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
      const types = Object.keys(success?.content ?? {});
      const isOther = types.length > 0 && !types.includes("application/json");
      const endpoint = `${method.toUpperCase()} ${path}`;
      expect([endpoint, isFile(endpoint as Endpoint)]).toEqual([endpoint, isOther]);
    }
});

test("a request without a response ends after its timeout; one without a timeout keeps waiting", async () => {
  const { jar } = await signedIn();
  const page = new TestPage();
  const tab = jar.tab({ page, heard: false });
  await tab.refresh();
  let sent = 0;
  const never: (url: string, init: RequestInit) => Promise<Response> = (_, { signal }) => {
    sent += 1;
    return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  };
  jar.through(never);
  const outcomes: string[] = [];
  const note = (name: string) => (error: { code: string }) => void outcomes.push(`${name} ${error.code}`);
  tab.request("GET /api/profile", { timeoutMs: 5_000 }).catch(note("short"));
  tab.request("GET /api/profile").catch(note("usual"));
  tab.raw("GET /api/profile").catch(note("raw"));
  await until(() => (sent === 3 ? true : null));
  const passed: string[][] = [];
  for (const seconds of [4, 2, 23, 2, 300]) {
    await page.pass(seconds, { patiently: false });
    passed.push([...outcomes]);
  }
  const [short, both] = [["short TIMEOUT"], ["short TIMEOUT", "usual TIMEOUT"]];
  expect(passed).toEqual([[], short, short, both, both]);
});

test("query parameters and abort signals work in browsers without URLSearchParams.size and AbortSignal.any", async () => {
  const { jar, tab } = await signedIn();
  const size = Object.getOwnPropertyDescriptor(URLSearchParams.prototype, "size") as PropertyDescriptor;
  const { any } = AbortSignal;
  Object.defineProperty(URLSearchParams.prototype, "size", { ...size, get: () => undefined });
  Object.assign(AbortSignal, { any: undefined });
  try {
    let asked = "";
    jar.through((url, init) => {
      asked = url;
      return jar.fetch(url, init);
    });
    const { signal } = new AbortController();
    const found = await tab.request("GET /api/todos", { query: { search: "plants" }, signal });
    expect([found.total, asked]).toEqual([0, `${t.url}/api/todos?search=plants`]);
  } finally {
    Object.defineProperty(URLSearchParams.prototype, "size", size);
    Object.assign(AbortSignal, { any });
  }
});

test("Retry-After is read as seconds or as a date", async () => {
  const { jar, tab } = await signedIn();
  const body = { statusCode: 429, code: "TOO_MANY_REQUESTS", message: "Too many", requestId: "x" };
  const read = async (value: string | null) => {
    const headers: Record<string, string> = value === null ? {} : { "retry-after": value };
    jar.through(async () => Response.json(body, { status: 429, headers }));
    const outcome = await settle(tab.request("GET /api/todos"));
    return outcome.ok || !isApiError(outcome.error) ? undefined : outcome.error.retryAfter;
  };
  expect(await read("7")).toBe(7);
  const date = await read(new Date(Date.now() + 600_000).toUTCString());
  expect([date !== null && date !== undefined && date > 500 && date <= 600]).toEqual([true]);
  expect([await read(new Date(0).toUTCString()), await read("soon"), await read(null)]).toEqual([
    0,
    null,
    null,
  ]);
});

test("the client's `fetch` sends the token only to the API's origin", async () => {
  const { jar, tab } = await signedIn();
  const sent: [string, string | null][] = [];
  jar.through(async (url, init) => {
    sent.push([new URL(url).origin, new Headers(init.headers).get("authorization")]);
    return Response.json({});
  });
  await tab.fetch(`${t.url}/api/profile`);
  await tab.fetch("https://elsewhere.example/api/profile", { headers: { "x-own": "1" } });
  expect(sent).toEqual([
    [new URL(t.url).origin, expect.stringContaining("Bearer ") as unknown as string],
    ["https://elsewhere.example", null],
  ]);
});

test("`settle` returns typed errors for `signIn`, `switchOrganization` and `signOut`", async () => {
  const { tab } = await signedIn();
  const wrong = await settle(tab.signIn({ email: "nobody@example.com", password: "not this one" }));
  expect(wrong.ok || wrong.error.code).toBe("INVALID_CREDENTIALS");
  const switched = await settle(tab.switchOrganization(crypto.randomUUID()));
  expect(switched.ok || switched.error.code).toBe("NOT_A_MEMBER");
  expect(await settle(tab.signOut())).toEqual({ ok: true, data: undefined });
});

test("an interrupted response is a connection error", async () => {
  const proxy = await TestProxy.start(t.url);
  const { jar, tab } = await signedIn(proxy.url);
  jar.through(async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{ "id": '));
        controller.error(new TypeError("terminated"));
      },
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  });
  expect(await tab.request("GET /api/profile").catch((error) => error.code)).toBe("NETWORK_ERROR");
});

test("another API client can use the client's `fetch`: it adds the session's token and refreshes a rejected one", async () => {
  const { jar, tab } = await signedIn();
  const client = hc<Api>(t.url, { fetch: tab.fetch });
  let isSpoilt = false;
  jar.through((url, init) => {
    const headers = new Headers(init.headers);
    if (!isSpoilt) headers.set("authorization", "Bearer expired");
    isSpoilt = true;
    return jar.fetch(url, { ...init, headers });
  });
  jar.sent.length = 0;
  const response = await client.api.todos.$post({ json: { title: "Water the plants" } });
  expect([response.status, jar.sent]).toEqual([
    201,
    ["POST /api/todos 401", "POST /api/auth/refresh 200", "POST /api/todos 201"],
  ]);
});

test("`pages` and `rows` iterate over a list, beginning at the requested page", async () => {
  const { jar, tab } = await signedIn();
  for (const title of ["a", "b", "c", "d", "e"]) await tab.request("POST /api/todos", { body: { title } });
  const query = { sort: "title", order: "asc", pageSize: 2 } as const;
  jar.sent.length = 0;
  const pages = await Array.fromAsync(tab.pages("GET /api/todos", { query }));
  expect(pages.map(({ page, data }) => [page, data.length])).toEqual([
    [1, 2],
    [2, 2],
    [3, 1],
  ]);
  expect(jar.sent.length).toBe(3);
  const rows = await Array.fromAsync(tab.rows("GET /api/todos", { query: { ...query, page: 2 } }));
  expect(rows.map(({ title }) => title)).toEqual(["c", "d", "e"]);
  jar.sent.length = 0;
  for await (const { title } of tab.rows("GET /api/todos", { query })) if (title === "a") break;
  expect(jar.sent.length).toBe(1);
  expect(await Array.fromAsync(tab.rows("GET /api/todos", { query: { search: "nothing" } }))).toEqual([]);
});

test("a filter with several values is sent as a repeated parameter, and undefined filters are not sent", async () => {
  const { jar, tab } = await signedIn();
  let asked = "";
  jar.through((url, init) => {
    asked = new URL(url).search;
    return jar.fetch(url, init);
  });
  const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
  await tab.request("GET /api/members", { query: { unit: [one, two], search: "a & b" } });
  expect(asked).toBe(`?unit=${one}&unit=${two}&search=a+%26+b`);
});

test("an upload reports its progress, and a file response is returned as a file", async () => {
  const { tab } = await signedIn();
  const image = new File([pngOfSize(2000)], "screenshot.png");
  const progress: number[] = [];
  const ticket = await tab.upload("POST /api/support/tickets", {
    form: { subject: "Help", category: "BUG", images: [image] },
    onProgress: ({ sent, total }) => progress.push(sent / total),
  });
  expect(progress).toEqual([0, 1]);
  const [attachment] = ticket.messages[0]?.attachments ?? [];
  const file = await tab.request("GET /api/support/attachments/{id}", { path: { id: attachment?.id ?? "" } });
  expect([file instanceof Blob, file.type, file.size]).toEqual([true, "image/png", attachment?.size ?? 0]);
});

test("an upload can be aborted, and rejects with the API's errors", async () => {
  const { tab } = await signedIn();
  const form = { subject: "Help", category: "BUG", images: [new Blob(["no image"])] } as const;
  const outcome = await settle(
    tab.upload("POST /api/support/tickets", { form: { ...form, images: [...form.images] } }),
  );
  expect(outcome.ok || outcome.error.code).toBe("UNSUPPORTED_IMAGE");
  const abort = new AbortController();
  const aborted = tab.upload("POST /api/support/tickets", {
    form: { ...form, images: [...form.images] },
    signal: abort.signal,
    onProgress: () => abort.abort(),
  });
  expect((await aborted.catch((error) => error)).name).toBe("AbortError");
});

test("a file can be read as a stream", async () => {
  const { tab } = await signedIn();
  const response = await tab.raw("GET /api/organization/audit-events/export", {
    query: { format: "ndjson" },
  });
  expect(response.headers.get("content-type")).toContain("application/x-ndjson");
  expect((await response.text()).split("\n").length).toBeGreaterThan(1);
});

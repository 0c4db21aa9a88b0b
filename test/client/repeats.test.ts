import { expect, test } from "bun:test";
import { developmentApi } from "../../src/app/api.ts";
import { type Client, type Endpoint, settle } from "../../src/client/index.ts";
import { takesKey } from "../../src/client/repeats.ts";
import { openApiDocument } from "../../src/core/api/openapi.ts";
import { Jar, TestPage } from "../support/browser.ts";
import { createOrganization } from "../support/organizations.ts";
import { startService } from "../support/service.ts";

const t = await startService();

/** Signs in an organization administrator; the tab's clock advances only while no request is pending. */
async function signedIn(random = 0) {
  const { admin } = await createOrganization(t);
  const jar = new Jar(t.url);
  const page = new TestPage({ random: () => random });
  const tab = jar.tab({ page, heard: false });
  await tab.signIn(admin.account);
  const keys: (string | null)[] = [];
  /** Sends requests through `sender`, and records their idempotency keys. */
  function through(sender: (send: () => Promise<Response>) => Promise<Response>) {
    jar.through((url, init) => {
      keys.push(new Headers(init.headers).get("idempotency-key"));
      return sender(() => jar.fetch(url, init));
    });
  }
  /** Waits for a request; returns its result and the seconds that it paused between attempts. */
  async function running<T>(call: Promise<T>): Promise<{ result: T; seconds: number }> {
    let isSettled = false;
    const ended = settle(call as never).finally(() => {
      isSettled = true;
    });
    const start = page.seconds;
    for (await jar.responded(); !isSettled; await jar.responded()) await page.pass(0.05);
    return { result: (await ended) as T, seconds: page.seconds - start };
  }
  const titles = async () =>
    (await admin.get("/api/todos")).body.data.map(({ title }: { title: string }) => title);
  return { tab, jar, keys, through, running, titles };
}

const failing = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ statusCode: status, code, message: "No", requestId: "x" }, { status, headers });

test("the client knows which endpoints accept an Idempotency-Key", () => {
  const document = openApiDocument(developmentApi) as unknown as {
    paths: Record<string, Record<string, { parameters?: { name: string }[] }>>;
  };
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { parameters = [] }] of Object.entries(methods)) {
      const endpoint = `${method.toUpperCase()} ${path}`;
      const takes = parameters.some(({ name }) => name === "Idempotency-Key");
      expect([endpoint, takesKey(endpoint as Endpoint)]).toEqual([endpoint, takes]);
    }
});

test("a POST whose response is lost is repeated with the same Idempotency-Key; it takes effect once", async () => {
  const { tab, keys, through, running, titles } = await signedIn();
  let lost = 0;
  through(async (send) => {
    const response = await send();
    if (lost === 2) return response;
    lost += 1;
    throw new TypeError("The connection was lost");
  });
  const { result, seconds } = await running(tab.request("POST /api/todos", { body: { title: "once" } }));
  expect(result).toMatchObject({ ok: true, data: { title: "once" } });
  // With random = 0 the pauses are half of 0.5 and half of 1 second.
  expect(seconds).toBeCloseTo(0.75, 1);
  expect([keys.length, new Set(keys).size, await titles()]).toEqual([3, 1, ["once"]]);
});

test("a POST that is 502, 503, 504 or has a key in use is repeated three times, after Retry-After if that is longer", async () => {
  const responses: [Response, number][] = [
    [new Response("<h1>Bad Gateway</h1>", { status: 502, headers: { "content-type": "text/html" } }), 3.5],
    [failing(502, "PROVIDER_ERROR"), 3.5],
    [failing(503, "SERVICE_UNAVAILABLE"), 3.5],
    [failing(503, "SERVICE_UNAVAILABLE", { "retry-after": "5" }), 15],
    [new Response("", { status: 504 }), 3.5],
    [failing(409, "IDEMPOTENCY_KEY_IN_USE", { "retry-after": "1" }), 4],
  ];
  for (const [response, most] of responses) {
    const { tab, keys, through, running } = await signedIn(1);
    through(async () => response.clone() as Response);
    const { result, seconds } = await running(tab.request("POST /api/todos", { body: { title: "never" } }));
    expect(result).toMatchObject({ ok: false, error: { status: response.status } });
    expect([keys.length, new Set(keys).size]).toEqual([4, 1]);
    expect(seconds).toBeCloseTo(most, 0);
  }
});

test("other errors, requests without an Idempotency-Key and requests with `retries: 0` are not repeated", async () => {
  const { tab, keys, through, running } = await signedIn();
  const body = { title: "never" };
  const ends = [
    [failing(500, "INTERNAL_ERROR"), () => tab.request("POST /api/todos", { body })],
    [failing(409, "CONFLICT"), () => tab.request("POST /api/todos", { body })],
    [failing(429, "TOO_MANY_REQUESTS"), () => tab.request("POST /api/todos", { body })],
    [new Response("<h1>Sign in</h1>"), () => tab.request("POST /api/todos", { body })],
    [failing(503, "SERVICE_UNAVAILABLE"), () => tab.request("POST /api/todos", { body, retries: 0 })],
    [failing(503, "SERVICE_UNAVAILABLE"), () => tab.request("GET /api/todos")],
    [failing(503, "SERVICE_UNAVAILABLE"), () => tab.request("POST /api/notifications/read-all")],
  ] as const;
  for (const [response, send] of ends) {
    keys.length = 0;
    through(async () => response.clone() as Response);
    expect((await running(send() as Promise<unknown>)).result).toMatchObject({ ok: false });
    expect(keys).toHaveLength(1);
  }
  expect(keys).toEqual([null]);
});

test("the caller's Idempotency-Key is sent; otherwise each call has its own, kept when the token is refreshed", async () => {
  const { tab, keys, through, running } = await signedIn();
  let isRejected = false;
  through(async (send) => {
    if (isRejected || keys.at(-1) === null) return send();
    isRejected = true;
    return failing(401, "UNAUTHENTICATED");
  });
  await running(tab.request("POST /api/todos", { body: { title: "own" }, idempotencyKey: "my-key" }));
  expect(keys.filter((key) => key !== null)).toEqual(["my-key", "my-key"]);
  keys.length = 0;
  for (const title of ["one", "two"]) await running(tab.request("POST /api/todos", { body: { title } }));
  expect(new Set(keys).size).toBe(2);
});

test("a POST is not repeated after the session has changed to another organization or user", async () => {
  const changes = [
    async (tab: Client) => {
      const { id } = await tab.request("POST /api/auth/organizations", { body: { name: "Other" } });
      await tab.switchOrganization(id);
    },
    async (tab: Client) => {
      await tab.signOut();
      await tab.signIn((await createOrganization(t)).admin.account);
    },
  ];
  for (const change of changes) {
    const { tab, keys, through, running } = await signedIn();
    through(async (send) => {
      if (keys.at(-1) !== "lost") return send();
      await change(tab);
      throw new TypeError("The connection was lost");
    });
    const options = { body: { title: "elsewhere" }, idempotencyKey: "lost" };
    const { result } = await running(tab.request("POST /api/todos", options));
    expect(result).toMatchObject({ ok: false, error: { code: "NETWORK_ERROR" } });
    expect(keys.filter((key) => key === "lost")).toHaveLength(1);
  }
});

test("an upload is repeated with the same Idempotency-Key and its images", async () => {
  const { tab, keys, through, running } = await signedIn();
  let isLost = false;
  through(async (send) => {
    const response = await send();
    if (isLost) return response;
    isLost = true;
    throw new TypeError("The connection was lost");
  });
  const form = { subject: "Help", category: "BUG" as const, message: "Please" };
  const { result } = await running(tab.upload("POST /api/support/tickets", { form }));
  expect(result).toMatchObject({ ok: true, data: { subject: "Help" } });
  const own = await tab.request("GET /api/support/tickets");
  expect([new Set(keys.filter((key) => key !== null)).size, own.total]).toEqual([1, 1]);
});

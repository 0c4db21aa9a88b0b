import { expect, test } from "bun:test";
import { createMachineClientIn } from "../../src/client/machine-client.ts";
import { createMachine } from "../support/machines.ts";
import { createOrganization } from "../support/organizations.ts";
import { startService } from "../support/service.ts";

const LIMIT = 30;
const t = await startService({ API_KEY_RATE_LIMIT: String(LIMIT) });

type Send = () => Promise<Response>;
type Options = { retries?: number; through?: (send: Send, sent: number) => Promise<Response> };

/** Creates the client of a new service account with the role ORG_ADMIN. Its retry pauses are recorded and skipped. */
async function machineWith({ retries, through = (send) => send() }: Options = {}) {
  const organization = await createOrganization(t);
  const made = await createMachine(organization, { role: "ORG_ADMIN" });
  const requests: { url: string; init: RequestInit; key: string | null; body: unknown }[] = [];
  const waits: number[] = [];
  const timers = {
    random: () => 1,
    after(milliseconds: number, run: () => void) {
      const isTimeout = milliseconds === 30_000 || milliseconds === 120_000;
      if (!isTimeout) waits.push(milliseconds / 1000);
      const timer = isTimeout ? undefined : setTimeout(run, 0);
      return () => clearTimeout(timer);
    },
  };
  const fetch = (async (url: string, init: RequestInit) => {
    init.signal?.throwIfAborted();
    const key = new Headers(init.headers).get("idempotency-key");
    requests.push({ url, init, key, body: init.body });
    return through(() => globalThis.fetch(url, init), requests.length);
  }) as typeof globalThis.fetch;
  const options = {
    baseUrl: `${t.url}/`,
    apiKey: made.key,
    fetch,
    ...(retries !== undefined && { retries }),
  };
  const machine = createMachineClientIn(timers, options);
  return { machine, organization, made, requests, waits };
}

const unit = (name: string) => ({ name, parentId: null });
const failing = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ statusCode: status, code, message: "No", requestId: "x" }, { status, headers });
const after = (seconds: number) => ({ "retry-after": String(seconds) });
const failingFirst = (response: () => Response) => async (send: Send, sent: number) =>
  sent === 1 ? response() : send();

test("a machine client acts in the organization of its service account, with that account's roles", async () => {
  const { machine, organization, made } = await machineWith();
  const self = await machine.request("GET /api/service-accounts/self");
  expect([self.serviceAccount.id, self.organization.id]).toEqual([made.id, organization.id]);
  const { id } = await machine.request("POST /api/units", { body: unit("Warehouse") });
  const changed = await machine.request("PATCH /api/units/{id}", { path: { id }, body: { name: "Depot" } });
  expect(changed.name).toBe("Depot");
  expect(await machine.request("DELETE /api/units/{id}", { path: { id } })).toBeUndefined();
});

test("a machine client's errors are typed by endpoint, and a file response is a Blob", async () => {
  const { machine } = await machineWith();
  const invalid = await machine.settle(machine.request("POST /api/units", { body: unit("") }));
  if (invalid.ok || invalid.error.code !== "VALIDATION_FAILED") throw new Error("No violation");
  expect(Object.keys(invalid.error.fields)).toEqual(["name"]);
  const file = await machine.request("GET /api/organization/audit-events/export");
  expect(await file.text()).toContain("SERVICE_ACCOUNT_CREATED");
});

test("`rows` and `pages` iterate over a whole list", async () => {
  const { machine, organization } = await machineWith();
  const people = [organization.admin, ...(await Promise.all([1, 2, 3, 4].map(() => organization.member())))];
  const emails = people.map(({ email }) => email).sort();
  const options = { query: { pageSize: 2, sort: "email", order: "asc" } } as const;
  const found: string[] = [];
  for await (const { email } of machine.rows("GET /api/members", options)) found.push(email);
  expect(found).toEqual(emails);
  const sizes: number[] = [];
  for await (const { data } of machine.pages("GET /api/members", options)) sizes.push(data.length);
  expect(sizes).toEqual([2, 2, 1]);
});

test("a machine client repeats a POST whose response is lost with the same idempotency key; it takes effect once", async () => {
  const lost = async (send: Send, sent: number) => {
    const response = await send();
    if (sent < 3) throw new TypeError("The connection was lost");
    return response;
  };
  const { machine, requests, waits } = await machineWith({ through: lost });
  const { id } = await machine.request("POST /api/units", { body: unit("Once") });
  const { data } = await machine.request("GET /api/units");
  expect(data.map((one) => one.id)).toEqual([id]);
  expect([requests.length, new Set(requests.slice(0, 3).map(({ key }) => key)).size]).toEqual([4, 1]);
  expect(waits).toEqual([0.5, 1]);
});

test("each POST has its own idempotency key, or the one of its options; other requests have none", async () => {
  const { machine, requests } = await machineWith();
  for (const name of ["One", "Two"]) await machine.request("POST /api/units", { body: unit(name) });
  const own = { body: unit("Own"), idempotencyKey: "import-42" };
  const first = await machine.request("POST /api/units", own);
  expect((await machine.request("POST /api/units", own)).id).toBe(first.id);
  await machine.request("GET /api/units");
  const keys = requests.map(({ key }) => key);
  expect([new Set(keys.slice(0, 2)).size, keys.slice(2)]).toEqual([2, ["import-42", "import-42", null]]);
});

test("after 429 or 503 a machine client repeats any request, after a Retry-After of up to 60 seconds", async () => {
  for (const status of [429, 503])
    for (const seconds of [0, 7, 60]) {
      const through = failingFirst(() => failing(status, "TOO_MANY_REQUESTS", after(seconds)));
      const reading = await machineWith({ through });
      expect((await reading.machine.request("GET /api/units")).total).toBe(0);
      expect(reading.waits).toEqual([Math.max(0.5, seconds)]);
      const writing = await machineWith({ through });
      expect((await writing.machine.request("POST /api/units", { body: unit("Later") })).name).toBe("Later");
      expect([writing.waits, writing.requests.length]).toEqual([[Math.max(0.5, seconds)], 2]);
    }
});

test("a machine client does not retry after a longer Retry-After, other errors, or a 503 of a POST without a key", async () => {
  const never = { body: unit("Never") };
  const body = { key: "x" };
  type Machine = Awaited<ReturnType<typeof machineWith>>["machine"];
  const calls: [Response, (machine: Machine) => Promise<unknown>][] = [
    [failing(429, "TOO_MANY_REQUESTS", after(61)), (one) => one.request("GET /api/units")],
    [failing(503, "SERVICE_UNAVAILABLE", after(61)), (one) => one.request("POST /api/units", never)],
    [failing(409, "CONFLICT"), (one) => one.request("POST /api/units", never)],
    [failing(500, "INTERNAL_ERROR"), (one) => one.request("POST /api/units", never)],
    [failing(502, "PROVIDER_ERROR"), (one) => one.request("GET /api/units")],
    [failing(503, "SERVICE_UNAVAILABLE"), (one) => one.request("POST /api/auth/revoke-key", { body })],
  ];
  for (const [response, call] of calls) {
    const { machine, requests } = await machineWith({ through: async () => response.clone() as Response });
    await expect(call(machine)).rejects.toMatchObject({ status: response.status });
    expect(requests).toHaveLength(1);
  }
});

test("a machine client retries three times, or as often as the client's or the request's `retries` says", async () => {
  const through = async () => failing(503, "SERVICE_UNAVAILABLE");
  for (const [retries, own, sent] of [
    [undefined, {}, 4],
    [1, {}, 2],
    [1, { retries: 0 }, 1],
  ] as const) {
    const { machine, requests } = await machineWith({ through, ...(retries !== undefined && { retries }) });
    await expect(machine.request("GET /api/units", own)).rejects.toMatchObject({ status: 503 });
    expect(requests).toHaveLength(sent);
  }
});

test("at the rate limit of its API key, a machine client waits for the service's Retry-After", async () => {
  const asked: number[] = [];
  const { machine, waits } = await machineWith({
    async through(send) {
      const response = await send();
      if (response.status === 429) asked.push(Number(response.headers.get("retry-after")));
      return response;
    },
  });
  for (let sent = 0; sent < LIMIT; sent += 1) await machine.request("GET /api/permissions");
  const refused = await machine.settle(machine.request("GET /api/permissions"));
  expect(refused).toMatchObject({ ok: false, error: { code: "TOO_MANY_REQUESTS" } });
  expect([asked.length, waits]).toEqual([
    4,
    asked.slice(0, 3).map((seconds, at) => Math.max(seconds, 2 ** (at - 1))),
  ]);
});

test("a revoked API key is one 401: the machine client sends no refresh and no cookie", async () => {
  const { machine, made, requests } = await machineWith();
  await machine.request("POST /api/auth/revoke-key", { body: { key: made.key } });
  const refused = await machine.settle(machine.request("GET /api/units"));
  expect(refused).toMatchObject({ ok: false, error: { code: "UNAUTHENTICATED" } });
  expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(["/api/auth/revoke-key", "/api/units"]);
  expect(requests.some(({ init }) => "credentials" in init)).toBe(false);
});

test("an abort signal ends the pause before a retry", async () => {
  const ending = new AbortController();
  const { machine, requests } = await machineWith({
    async through() {
      ending.abort(new Error("Enough"));
      return failing(503, "SERVICE_UNAVAILABLE", after(60));
    },
  });
  await expect(machine.request("GET /api/units", { signal: ending.signal })).rejects.toThrow("Enough");
  expect(requests).toHaveLength(1);
});

test("a machine client's upload sends a form and an idempotency key; a route that refuses API keys is 403", async () => {
  const { machine, requests } = await machineWith();
  const form = { subject: "Help", category: "BUG", images: [new Blob(["x"]), new Blob(["y"])] };
  // No upload endpoint accepts API keys, so the types have none.
  const upload = machine.upload as (endpoint: string, options: object) => Promise<unknown>;
  await expect(upload("POST /api/support/tickets", { form })).rejects.toMatchObject({
    code: "API_KEY_NOT_ALLOWED",
  });
  const sent = requests[0]?.body as FormData;
  expect([sent.get("subject"), sent.getAll("images").length]).toEqual(["Help", 2]);
  expect(requests[0]?.key).toMatch(/^[\da-f-]{36}$/);
});

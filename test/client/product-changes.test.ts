import { afterAll, expect, test } from "bun:test";
import { failure, productAt, startProductServer } from "../support/product-server.ts";

/* `changes` and `id` of the subpath `/server`, at a server of the test. */

const CHANGES = "/api/product/changes";
const written = { usage: [{ limit: "inspections", used: 1, max: 10 }], eventIds: [], notified: 1 };
let answers: (() => Response)[] = [];
const server = startProductServer({
  [`POST ${CHANGES}`]: () => (answers.shift() ?? (() => Response.json(written)))(),
});
afterAll(() => server.stop());

function begin() {
  server.requests.length = 0;
  return {
    ...productAt(server.url),
    keys: () => server.to(CHANGES).map(({ headers }) => headers.get("idempotency-key")),
  };
}

const CALL = {
  organizationId: "o",
  actor: { userId: "u" },
  usage: [{ limit: "inspections", id: "4711", amount: 1 }],
  audit: [
    { action: "INSPECTION_DELETED", targetId: "t", metadata: { title: "Roof" }, reach: { unitId: "x" } },
  ],
} as const;

test("the `actor` of a caller is named as the service names it", async () => {
  const { product } = begin();
  const actors = [
    { type: "user", id: "u", isPlatformAdmin: false },
    { type: "service_account", id: "s", isPlatformAdmin: false },
    { serviceAccountId: "s" },
    null,
  ] as const;
  for (const actor of actors) await product.changes({ ...CALL, actor }, { idempotencyKey: "k" });
  expect(server.requests.map(({ body }) => (body as typeof CALL).actor as unknown)).toEqual([
    { userId: "u" },
    { serviceAccountId: "s" },
    { serviceAccountId: "s" },
    null,
  ]);
});

test("`changes` repeats a temporary failure with the same key, as often as `retries` says", async () => {
  const { product, keys, pauses } = begin();
  answers = [
    () => new Response("Bad gateway", { status: 502 }),
    () => failure(409, "IDEMPOTENCY_KEY_IN_USE"),
    () => failure(429, "TOO_MANY_REQUESTS", { "retry-after": "3" }),
  ];
  expect(await product.changes(CALL, { idempotencyKey: "k" })).toEqual(written);
  expect([keys(), pauses]).toEqual([
    ["k", "k", "k", "k"],
    [0.5, 1, 3],
  ]);
  answers = [() => failure(503, "SERVICE_UNAVAILABLE")];
  const error = await product.changes(CALL, { idempotencyKey: "k", retries: 0 }).catch((error) => error);
  expect([error.code, keys().length]).toEqual(["SERVICE_UNAVAILABLE", 5]);
});

test("`changes` rejects at once with the error of a refused call", async () => {
  const { product, keys } = begin();
  const details = { limit: "inspections", max: 10, used: 10 };
  const body = { statusCode: 403, code: "PLAN_LIMIT_REACHED", message: "No", requestId: "x", details };
  answers = [() => Response.json(body, { status: 403 })];
  const error = await product.changes(CALL, { idempotencyKey: "k" }).catch((error) => error);
  expect([error.name, error.code, error.details, keys().length]).toEqual([
    "ApiError",
    "PLAN_LIMIT_REACHED",
    details,
    1,
  ]);
});

test("`id` is the UUIDv5 of `record:key` in the namespace of URLs, as Python computes it", async () => {
  const { product } = begin();
  const pairs = [
    ["inspection", "4711"],
    ["inspection", 4711],
    ["site_visit", "Ελλάς / 2026:1"],
    ["a", ""],
    ["a", 12345678901234567890n],
  ] as const;
  const ids = await Promise.all(pairs.map(([record, key]) => product.id(record, key)));
  expect(ids[0]).toBe("64ac9270-bfd3-5652-938e-c99e5068badc");
  expect(ids[1]).toBe(ids[0] as string);
  const NAMESPACE_URL = "6ba7b811-9dad-11d1-80b4-00c04fd430c8";
  expect(ids).toEqual(pairs.map(([record, key]) => Bun.randomUUIDv5(`${record}:${key}`, NAMESPACE_URL)));
});

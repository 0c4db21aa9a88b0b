import { afterAll, expect, test } from "bun:test";
import {
  activeCheck,
  claimsFor,
  failure,
  newSigningKey,
  PRODUCT_KEY,
  productAt,
  startProductServer,
} from "../support/product-server.ts";

/* `check` of the subpath `/server`, at a server of the test that answers as the service does. */

const CHECK = "/api/product/check";
const key = await newSigningKey();
let answer: () => Response | Promise<Response> = () => Response.json(activeCheck());
const server = startProductServer({ [`POST ${CHECK}`]: () => answer() });
afterAll(() => server.stop());

/** Starts with an empty record of requests and a client that has kept nothing. */
function begin() {
  server.requests.length = 0;
  answer = () => Response.json(activeCheck());
  const made = productAt(server.url);
  const tokenFor = (milliseconds: number) => key.sign(claimsFor(server.url, made.clock.now + milliseconds));
  return { ...made, tokenFor, bodies: () => server.to(CHECK).map(({ body }) => body) };
}

test("`check` sends what it is asked with the product's key, and returns the caller as the service knows them", async () => {
  const { product, bodies } = begin();
  const unit = crypto.randomUUID();
  const said = activeCheck({
    organization: { id: "o", name: "Acme", slug: "acme", plan: "pro", features: ["inspectionReports"] },
    permissions: ["Inspections.Create"],
    unitGrants: [{ permissions: ["Inspections.Read"], units: [unit] }],
    authenticatedAt: "2026-11-28T22:00:00.000Z",
  });
  answer = () => Response.json(said);
  const subjects = [
    { token: "t", ip: "203.0.113.7", organizationId: "o" },
    { organizationId: "o", userId: "u" },
    { organizationId: "o", serviceAccountId: "s" },
  ];
  for (const subject of subjects) {
    const caller = await product.check(subject);
    if (!caller.active) throw new Error(caller.reason);
    const { can, reach, ...known } = caller;
    const {
      permissions: _,
      unitGrants: __,
      cacheSeconds: ___,
      ...expected
    } = said as never as typeof known & Record<string, unknown>;
    expect(known).toEqual(expected as never);
    expect([can("Inspections.Create"), can("Inspections.Read", unit), reach("Inspections.Read")]).toEqual([
      true,
      true,
      [unit],
    ]);
  }
  expect(bodies()).toEqual(subjects);
  expect(new Set(server.to(CHECK).map(({ headers }) => headers.get("authorization")))).toEqual(
    new Set([`Bearer ${PRODUCT_KEY}`]),
  );
});

test("who is no caller has the reason of the service, and is asked for each time", async () => {
  const { product, bodies } = begin();
  answer = () => Response.json({ active: false, reason: "SUSPENDED" });
  for (let index = 0; index < 2; index += 1)
    expect(await product.check({ token: "t" })).toEqual({ active: false, reason: "SUSPENDED" });
  expect(bodies().length).toBe(2);
});

test("no token, and one that is longer than the service takes, is refused without a call", async () => {
  const { product, bodies } = begin();
  for (const token of ["", null, undefined, "x".repeat(8_193)])
    expect(await product.check({ token })).toEqual({ active: false, reason: "INVALID" });
  expect(bodies()).toEqual([]);
});

test("an answer is kept for `cacheSeconds`, for its token, address and organization, and not for a person", async () => {
  const { product, bodies, clock } = begin();
  const ask = async () => {
    for (const subject of [
      { token: "t" },
      { token: "t", ip: "203.0.113.7" },
      { token: "t", organizationId: "o" },
      { token: "other" },
    ])
      await product.check(subject);
  };
  await ask();
  clock.now += 29_999;
  await ask();
  expect(bodies().length).toBe(4);
  clock.now += 1;
  await ask();
  expect(bodies().length).toBe(8);
  for (let index = 0; index < 2; index += 1) await product.check({ organizationId: "o", userId: "u" });
  expect(bodies().length).toBe(10);
  clock.now -= 3_600_000;
  await product.check({ token: "t" });
  expect(bodies().length).toBe(11);
});

test("no answer is kept longer than its access token lives", async () => {
  const { product, bodies, clock, tokenFor } = begin();
  const token = tokenFor(10_000);
  await product.check({ token });
  clock.now += 8_000;
  await product.check({ token });
  expect(bodies().length).toBe(1);
  clock.now += 2_000;
  await product.check({ token });
  expect(bodies().length).toBe(2);
});

test("`fresh` asks again, also while another call is on its way, and its answer is the one that is kept", async () => {
  const { product, bodies } = begin();
  const names = ["first", "second", "third"];
  answer = () => Response.json(activeCheck({ permissions: [names[bodies().length - 1]] }));
  const [early, fresh] = await Promise.all([
    product.check({ token: "t" }),
    product.check({ token: "t" }, { fresh: true }),
  ]);
  const kept = await product.check({ token: "t" });
  expect(early).not.toEqual(fresh);
  expect(kept.active && fresh.active && names.map((name) => kept.can(name) === fresh.can(name))).toEqual([
    true,
    true,
    true,
  ]);
  expect(bodies().length).toBe(2);
});

test("calls for the same token share one request, and a failure is shared and not kept", async () => {
  const { product, bodies } = begin();
  const all = () => Promise.allSettled(Array.from({ length: 10 }, () => product.check({ token: "t" })));
  answer = () => failure(503, "SERVICE_UNAVAILABLE");
  expect(new Set((await all()).map(({ status }) => status))).toEqual(new Set(["rejected"]));
  expect(bodies().length).toBe(1);
  answer = () => Response.json(activeCheck());
  expect(new Set((await all()).map(({ status }) => status))).toEqual(new Set(["fulfilled"]));
  expect(bodies().length).toBe(2);
});

test("a call that never ends is given up: later callers do not wait for it", async () => {
  const { product, clock } = begin();
  answer = () => new Promise(() => {});
  void product.check({ token: "t" }).catch(() => {});
  clock.now += 10_000;
  answer = () => Response.json(activeCheck());
  expect((await product.check({ token: "t" })).active).toBe(true);
});

test("a lost connection is tried once more; an error of the service or of a proxy is not repeated", async () => {
  const sent: string[] = [];
  const failing = (reasons: (() => Response)[]) =>
    (async () => {
      sent.push("");
      return (reasons.shift() ?? (() => Response.json(activeCheck())))();
    }) as unknown as typeof fetch;
  const lost = () => {
    throw new TypeError("The connection was lost");
  };
  const once = productAt(server.url, { fetch: failing([lost]) });
  expect((await once.product.check({ token: "t" })).active).toBe(true);
  expect(sent.length).toBe(2);
  const twice = productAt(server.url, { fetch: failing([lost, lost]) });
  expect(await twice.product.check({ token: "t" }).catch((error) => error.code)).toBe("NETWORK_ERROR");
  expect(sent.length).toBe(4);
  const proxied = productAt(server.url, { fetch: failing([() => new Response("Bad", { status: 502 })]) });
  expect(await proxied.product.check({ token: "t" }).catch((error) => error.status)).toBe(502);
  expect(sent.length).toBe(5);
  const refusing = productAt(server.url, { fetch: failing([() => failure(429, "TOO_MANY_REQUESTS")]) });
  expect(await refusing.product.check({ token: "t" }).catch((error) => error.code)).toBe("TOO_MANY_REQUESTS");
  expect(sent.length).toBe(6);
});

test("the memory of kept answers is bounded: the oldest are forgotten", async () => {
  const { product, bodies } = begin();
  const units = Array.from({ length: 1_000 }, () => crypto.randomUUID());
  answer = () => Response.json(activeCheck({ unitGrants: [{ permissions: ["Inspections.Read"], units }] }));
  // Each answer has 39,000 characters; 5,000,000 are kept.
  for (let index = 0; index < 150; index += 1) await product.check({ token: `token-${index}` });
  await product.check({ token: "token-149" });
  await product.check({ token: "token-30" });
  expect(bodies().length).toBe(150);
  await product.check({ token: "token-0" });
  expect(bodies().length).toBe(151);
});

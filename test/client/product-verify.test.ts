import { afterAll, expect, test } from "bun:test";
import {
  activeCheck,
  claimsFor,
  failure,
  newSigningKey,
  ORGANIZATION,
  productAt,
  startProductServer,
} from "../support/product-server.ts";

/* `verify` of the subpath `/server`, at a server of the test. test/features/product-api/client.test.ts verifies tokens of the service. */

const [first, second] = [await newSigningKey(), await newSigningKey()];

const KEYS = "/.well-known/jwks.json";
const CHECK = "/api/product/check";
const published = { keys: [first.jwk] };
const answers = { keys: () => Response.json(published), check: () => Response.json(activeCheck()) };
const server = startProductServer({
  [`GET ${KEYS}`]: () => answers.keys(),
  [`POST ${CHECK}`]: () => answers.check(),
});
afterAll(() => server.stop());
const ISSUER = server.url;

/** Starts with an empty record of requests and the usual answers. */
function begin(options: Parameters<typeof productAt>[1] = {}) {
  server.requests.length = 0;
  answers.keys = () => Response.json(published);
  answers.check = () => Response.json(activeCheck());
  const made = productAt(server.url, options);
  const token = (others: object = {}, key = first, header: object = {}) =>
    key.sign(claimsFor(ISSUER, made.clock.now + 900_000, others), header);
  const reasonOf = async (value: string | null | undefined) => {
    const caller = await made.product.verify(value);
    return caller.active || caller.reason;
  };
  return { ...made, token, reasonOf };
}

test("`verify` refuses other algorithms, types, keys and headers, and fetches nothing that a token names", async () => {
  const { token, reasonOf } = begin();
  const good = token();
  const [header = "", payload = "", signature = ""] = good.split(".");
  const withHeader = (fields: object) =>
    [Buffer.from(JSON.stringify(fields)).toString("base64url"), payload, signature].join(".");
  expect(await reasonOf(good)).toBe(true);
  const { kid } = first;
  const url = `${server.url}/keys`;
  const others = {
    none: withHeader({ alg: "none", typ: "JWT", kid }),
    HS256: withHeader({ alg: "HS256", typ: "JWT", kid }),
    "another algorithm, signed": token({}, first, { alg: "ES384" }),
    "no type": token({}, first, { typ: undefined }),
    "another type": token({}, first, { typ: "at+jwt" }),
    "no key": withHeader({ alg: "ES256", typ: "JWT" }),
    "another key": token({}, second, { kid }),
    "an inherited name": token({}, first, { kid: "__proto__" }),
    "a key": token({}, second, { kid: "mine", jwk: second.jwk }),
    "an address of keys": token({}, first, { jku: url }),
    "an address of certificates": token({}, first, { x5u: url }),
    "an extension": token({}, first, { crit: ["exp"] }),
    "another payload": [header, `${payload}A`, signature].join("."),
    "another signature": [
      header,
      payload,
      `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
    ].join("."),
    "no signature": `${header}.${payload}.`,
    "a fourth part": `${good}.${signature}`,
    "no header": `.${payload}.${signature}`,
    text: "token",
    nothing: "",
  };
  const reasons = await Promise.all(
    Object.entries(others).map(async ([name, value]) => [name, await reasonOf(value)]),
  );
  expect(reasons).toEqual(Object.keys(others).map((name) => [name, "INVALID"]));
  expect([await reasonOf(null), await reasonOf(undefined)]).toEqual(["INVALID", "INVALID"]);
  expect(new Set(server.requests.map(({ path }) => path))).toEqual(new Set([KEYS]));
});

test("`verify` requires issuer, audience, an unexpired token, no missing second factor, and an organization", async () => {
  const { token, reasonOf, clock } = begin();
  const seconds = Math.floor(clock.now / 1000);
  const cases = [
    [{}, true],
    [{ iss: "https://other.example" }, "INVALID"],
    [{ iss: `${ISSUER}/` }, "INVALID"],
    [{ aud: "other" }, "INVALID"],
    [{ aud: ["api"] }, "INVALID"],
    [{ exp: undefined }, "INVALID"],
    [{ exp: String(seconds + 900) }, "INVALID"],
    [{ exp: seconds - 20 }, true],
    [{ exp: seconds - 31 }, "EXPIRED"],
    [{ mustEnableTwoFactor: true }, "TWO_FACTOR_REQUIRED"],
    [{ organization: null }, "NO_ORGANIZATION"],
  ] as const;
  for (const [claims, expected] of cases)
    expect([claims, await reasonOf(token(claims))]).toEqual([claims, expected]);
});

test("the issuer is the origin of `baseUrl` unless `issuer` names another", async () => {
  const { token, clock } = begin();
  const foreign = { iss: "https://example.com/console" };
  const { product } = productAt(`${server.url}/`, { issuer: foreign.iss });
  clock.now = Date.now();
  expect((await product.verify(token(foreign))).active).toBe(true);
  expect((await product.verify(token())).active).toBe(false);
});

test("the set of keys is kept for five minutes, and many first calls load it once, without the product's key", async () => {
  const { token, reasonOf, clock } = begin();
  const good = token();
  expect(await Promise.all(Array.from({ length: 20 }, () => reasonOf(good)))).toEqual(Array(20).fill(true));
  expect(server.to(KEYS).map(({ headers }) => headers.get("authorization"))).toEqual([null]);
  clock.now += 299_000;
  expect([await reasonOf(good), server.to(KEYS).length]).toEqual([true, 1]);
  clock.now += 1_000;
  await Promise.all([reasonOf(good), reasonOf(good)]);
  expect(server.to(KEYS).length).toBe(2);
});

test("an unknown key loads the set again, at most every 30 seconds and once for many calls", async () => {
  const { token, reasonOf, clock } = begin();
  const [old, next] = [token(), token({}, second)];
  expect(await reasonOf(old)).toBe(true);
  expect([await reasonOf(next), server.to(KEYS).length]).toEqual(["INVALID", 1]);
  clock.now += 30_000;
  answers.keys = () => Response.json({ keys: [first.jwk, second.jwk] });
  expect(await Promise.all([reasonOf(next), reasonOf(next), reasonOf(old)])).toEqual([true, true, true]);
  expect(server.to(KEYS).length).toBe(2);
  for (let index = 0; index < 5; index += 1)
    expect(await reasonOf(token({}, second, { kid: `unknown-${index}` }))).toBe("INVALID");
  expect(server.to(KEYS).length).toBe(2);
});

test("a key that left the set signs nothing any more, once the set was loaded again", async () => {
  const { token, reasonOf, clock } = begin();
  const old = token();
  expect(await reasonOf(old)).toBe(true);
  answers.keys = () => Response.json({ keys: [second.jwk] });
  clock.now += 300_000;
  expect(await reasonOf(old)).toBe("INVALID");
});

test("a token that was verified before expires like any other, and its text alone opens nothing", async () => {
  const { token, reasonOf, clock } = begin();
  const good = token();
  expect([await reasonOf(good), await reasonOf(good)]).toEqual([true, true]);
  expect(await reasonOf(`${good.slice(0, -8)}AAAAAAAA`)).toBe("INVALID");
  clock.now += 931_000;
  expect(await reasonOf(good)).toBe("EXPIRED");
});

test("while the service is down, the set of before serves, and is loaded again at most every 30 seconds", async () => {
  const { token, reasonOf, clock } = begin();
  const good = token();
  expect(await reasonOf(good)).toBe(true);
  answers.keys = () => new Response("Bad gateway", { status: 502 });
  clock.now += 300_000;
  for (let index = 0; index < 3; index += 1) expect(await reasonOf(good)).toBe(true);
  expect(server.to(KEYS).length).toBe(2);
  clock.now += 30_000;
  answers.keys = () => Response.json(published);
  expect([await reasonOf(good), server.to(KEYS).length]).toEqual([true, 3]);
});

test("without any set of keys `verify` rejects, and the next call loads one", async () => {
  const { token, reasonOf, product } = begin();
  const good = token();
  answers.keys = () => failure(503, "SERVICE_UNAVAILABLE");
  expect(product.verify(good)).rejects.toMatchObject({ status: 503, code: "SERVICE_UNAVAILABLE" });
  await product.verify(good).catch(() => {});
  answers.keys = () => Response.json(published);
  expect(await reasonOf(good)).toBe(true);
});

test("keys are loaded from the service alone: a redirect is an error", async () => {
  const { token, product } = begin();
  const other = startProductServer({ [`GET ${KEYS}`]: () => Response.json(published) });
  answers.keys = () => Response.redirect(`${other.url}${KEYS}`, 302);
  expect(await product.verify(token()).catch((error) => error)).toMatchObject({
    name: "ConnectionError",
    status: 302,
  });
  expect(other.requests).toEqual([]);
  await other.stop();
});

test("keys of other kinds in the set are passed over", async () => {
  const { token, reasonOf } = begin();
  const { kid } = first;
  const { kid: _, ...unnamed } = first.jwk;
  const others = [{ kty: "RSA", kid, n: "AQAB", e: "AQAB" }, { ...first.jwk, kid, use: "enc" }, unnamed];
  for (const keys of [others, []]) {
    answers.keys = () => Response.json({ keys });
    expect(await reasonOf(token())).toBe("INVALID");
  }
  begin();
  answers.keys = () => Response.json({ keys: [...others, first.jwk] });
  const { product } = productAt(server.url);
  expect((await product.verify(token())).active).toBe(true);
});

test("with `jwks`, a test signs tokens of its own, and nothing is fetched", async () => {
  const { token, product } = begin({ jwks: { keys: [second.jwk] } });
  const caller = await product.verify(token({ permissions: ["Inspections.Read"] }, second));
  expect([caller.active && caller.can("Inspections.Read"), server.requests]).toEqual([true, []]);
});

test("`verify` asks for a token without room for all units, and for an API key, and for nothing else", async () => {
  const { token, product } = begin();
  const unit = crypto.randomUUID();
  answers.check = () =>
    Response.json(activeCheck({ unitGrants: [{ permissions: ["Inspections.Read"], units: [unit] }] }));
  const packed = "AZDHoFsffT6cUh9qK3yNng";
  const apiKey = `mosk_${"a".repeat(46)}`;
  const tokens = [
    token({ unitGrants: null }),
    token({ unitGrants: [{ permissions: ["Inspections.Read"], roots: packed, units: null }] }),
    apiKey,
  ];
  for (const value of tokens) {
    const caller = await product.verify(value, "203.0.113.7");
    expect(caller.active && caller.reach("Inspections.Read")).toEqual([unit]);
  }
  expect(server.to(CHECK).map(({ body }) => body)).toEqual(
    tokens.map((value) => ({ token: value, ip: "203.0.113.7" })),
  );
  for (const value of ["mosk_short", "password", `${apiKey}.`]) await product.verify(value);
  // A bad signature is refused before the grants are looked at.
  await product.verify(`${tokens[0]?.slice(0, -8)}AAAAAAAA`);
  expect(server.to(CHECK).length).toBe(tokens.length);
});

test("`can` without a unit is anywhere, with null organization-wide, and never true for a unit that is undefined by mistake", async () => {
  const { token, product } = begin();
  const unit = "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e";
  const packed = "AZDHoFsffT6cUh9qK3yNng";
  const caller = await product.verify(
    token({
      permissions: ["Inspections.Create"],
      unitGrants: [
        { permissions: ["Inspections.Read"], roots: packed, units: packed },
        { permissions: ["Inspections.Read", "Inspections.Update"], roots: packed, units: packed },
      ],
    }),
  );
  if (!caller.active) throw new Error(caller.reason);
  const { can, reach } = caller;
  expect([can("Inspections.Read"), can("Inspections.Read", null), can("Inspections.Read", unit)]).toEqual([
    true,
    false,
    true,
  ]);
  const absent = undefined as unknown as string;
  expect([can("Inspections.Read", absent), can("Inspections.Create", unit)]).toEqual([false, true]);
  expect([reach("Inspections.Read"), reach("Inspections.Create"), reach("Inspections.Delete")]).toEqual([
    [unit],
    null,
    [],
  ]);
  expect(caller.organization).toEqual(ORGANIZATION);
});

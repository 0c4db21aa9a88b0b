import { expect, test } from "bun:test";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import {
  base64url,
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
  jwtVerify,
  SignJWT,
} from "jose";
import { readConfig } from "../../../src/app/config.ts";
import { Caller } from "../../support/caller.ts";
import type { Environment } from "../../support/environment.ts";
import { expectStatus, type Service, startService } from "../../support/service.ts";

/* The keys of access tokens (rules 6.7, 6.12): ES256, the published set, and changes of the key. */

const newKey = (curve = "prime256v1") => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: curve });
  return {
    pem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    jwk: JSON.stringify(privateKey.export({ format: "jwk" })),
    publicPem: publicKey.export({ type: "spki", format: "pem" }).toString(),
    publicJwk: JSON.stringify(publicKey.export({ format: "jwk" })),
  };
};
const [first, second] = [newKey(), newKey()];

const plain = await startService();
/** Starts another instance on the same database. */
const instance = (overrides: Environment) => startService(overrides, { databaseUrl: plain.databaseUrl });
const signing = await instance({ JWT_SIGNING_KEY: first.pem });
const person = await plain.person();
const { APP_URL: issuer = "" } = plain.environment;

const keySet = async (service: Service, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/.well-known/jwks.json`, { headers });
const keysOf = async (service: Service) =>
  ((await (await keySet(service)).json()) as { keys: Record<string, string>[] }).keys;
const tokenOf = async (service: Service) => {
  const caller = new Caller(service.url, person.account);
  expectStatus(await caller.login(), 200);
  return caller.accessToken ?? "";
};
const statusOf = async (service: Service, token: string) =>
  (await fetch(`${service.url}/api/profile`, { headers: { authorization: `Bearer ${token}` } })).status;

test("without a signing key the set is empty and tokens are HS256 without a key id", async () => {
  expect(await keysOf(plain)).toEqual([]);
  expect(decodeProtectedHeader(await tokenOf(plain))).toEqual({ alg: "HS256", typ: "JWT" });
});

test("the set has the public key alone, for any origin, for five minutes, with a tag", async () => {
  const response = await keySet(signing);
  const { x, y } = JSON.parse(first.jwk);
  expect(await response.clone().json()).toEqual({
    keys: [
      { kty: "EC", crv: "P-256", x, y, use: "sig", alg: "ES256", kid: expect.stringMatching(/^[\w-]{43}$/) },
    ],
  });
  const { headers } = response;
  expect(headers.get("cache-control")).toBe("public, max-age=300");
  expect(headers.get("access-control-allow-origin")).toBe("*");
  const again = await keySet(signing, { "if-none-match": headers.get("etag") ?? "" });
  expect([again.status, again.headers.get("access-control-allow-origin"), await again.text()]).toEqual([
    304,
    "*",
    "",
  ]);
});

test("the set is for any origin, also if one is configured", async () => {
  const origin = "https://web.test";
  const configured = await instance({ JWT_SIGNING_KEY: first.pem, CORS_ORIGIN: origin });
  const { headers } = await keySet(configured, { origin });
  expect([
    headers.get("access-control-allow-origin"),
    headers.get("access-control-allow-credentials"),
  ]).toEqual(["*", null]);
});

test("a token is verified by the published set with a standard library, and by the service", async () => {
  const token = await tokenOf(signing);
  const keys = createRemoteJWKSet(new URL(`${signing.url}/.well-known/jwks.json`));
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: "api",
    algorithms: ["ES256"],
  });
  expect(payload.sub).toBeString();
  expect(protectedHeader).toEqual({ alg: "ES256", typ: "JWT", kid: (await keysOf(signing))[0]?.kid ?? "" });
  expect(await statusOf(signing, token)).toBe(200);
});

test("the same key as PEM and as a JWK has the same id", async () => {
  const asJwk = await instance({ JWT_SIGNING_KEY: first.jwk });
  expect(await keysOf(asJwk)).toEqual(await keysOf(signing));
});

test("a key id fixes the algorithm: tokens by other keys, algorithms and headers are 401, and nothing is fetched", async () => {
  const good = await tokenOf(signing);
  const [header = "", payload = "", signature = ""] = good.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const { kid } = JSON.parse(Buffer.from(header, "base64url").toString());
  const key = createPrivateKey(first.pem);
  const sign = (head: Record<string, unknown>, by: Parameters<SignJWT["sign"]>[0] = key) =>
    new SignJWT(claims).setProtectedHeader({ typ: "JWT", ...head } as never).sign(by);
  expect(await statusOf(signing, await sign({ alg: "ES256", kid }))).toBe(200);

  let fetched = 0;
  const foreign = Bun.serve({
    port: 0,
    fetch() {
      fetched += 1;
      return Response.json({ keys: [] });
    },
  });
  const url = foreign.url.href;
  const secretOf = (text: string) => Buffer.from(text);
  const other = createPrivateKey(second.pem);
  const unsigned = (head: object) => `${base64url.encode(JSON.stringify(head))}.${payload}.`;
  const refused = {
    "no algorithm": unsigned({ alg: "none", typ: "JWT", kid }),
    "no algorithm and no key": unsigned({ alg: "none", typ: "JWT" }),
    "the public key as a secret": await sign({ alg: "HS256", kid }, secretOf(first.publicPem)),
    "the public JWK as a secret": await sign({ alg: "HS256" }, secretOf(first.publicJwk)),
    "the service's secret with a key id": await sign(
      { alg: "HS256", kid },
      secretOf(plain.environment.JWT_SECRET ?? ""),
    ),
    "another key": await sign({ alg: "ES256", kid }, other),
    "an unknown key id": await sign({ alg: "ES256", kid: "unknown" }, other),
    "an inherited name as key id": await sign({ alg: "ES256", kid: "__proto__" }, other),
    "no key id": await sign({ alg: "ES256" }),
    "a key in the header": await sign(
      { alg: "ES256", kid: "mine", jwk: JSON.parse(second.publicJwk) },
      other,
    ),
    "an address of keys": await sign({ alg: "ES256", kid, jku: url }),
    "an address of certificates": await sign({ alg: "ES256", kid, x5u: url }),
    "a changed signature": `${header}.${payload}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
    "an extension": `${base64url.encode(JSON.stringify({ alg: "ES256", typ: "JWT", kid, crit: ["exp"], exp: 1 }))}.${payload}.${signature}`,
  };
  const statuses = await Promise.all(
    Object.entries(refused).map(async ([name, token]) => [name, await statusOf(signing, token)]),
  );
  expect(statuses).toEqual(Object.keys(refused).map((name) => [name, 401]));
  await foreign.stop(true);
  expect(fetched).toBe(0);
});

test("tokens of the secret are accepted until JWT_ACCEPT_HS256 is off", async () => {
  const byHs256 = await tokenOf(plain);
  expect(await statusOf(signing, byHs256)).toBe(200);
  const strict = await instance({ JWT_SIGNING_KEY: first.pem, JWT_ACCEPT_HS256: "off" });
  expect(await statusOf(strict, byHs256)).toBe(401);
  expect(await statusOf(strict, await tokenOf(strict))).toBe(200);
});

test("first use and a change in three steps refuse no token on two instances, each step beside the one before", async () => {
  const steps: Environment[] = [
    {},
    { JWT_SIGNING_KEY_NEXT: first.pem },
    { JWT_SIGNING_KEY: first.pem },
    { JWT_SIGNING_KEY: first.pem, JWT_ACCEPT_HS256: "off" },
    { JWT_SIGNING_KEY: first.pem, JWT_SIGNING_KEY_NEXT: second.jwk, JWT_ACCEPT_HS256: "off" },
    { JWT_SIGNING_KEY: second.jwk, JWT_SIGNING_KEY_PREVIOUS: first.pem, JWT_ACCEPT_HS256: "off" },
    { JWT_SIGNING_KEY: second.jwk, JWT_ACCEPT_HS256: "off" },
  ];
  const instances = await Promise.all(steps.map(instance));
  const seen = [];
  for (const [index, one] of instances.entries()) {
    const next = instances[index + 1];
    if (next === undefined) break;
    // Tokens of both are used at both while the instances are replaced.
    const tokens = [await tokenOf(one), await tokenOf(next)];
    for (const token of tokens) for (const at of [one, next]) seen.push([index, await statusOf(at, token)]);
  }
  // Switching HS256 off, or removing a key, waits for the tokens of the step before to end.
  const refused = seen.filter(([, status]) => status !== 200).map(([index]) => index);
  expect(refused).toEqual([]);
  expect((await keysOf(instances[5] as Service)).length).toBe(2);
});

test("a wrong, public or repeated key ends the start with its name and without its value", async () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
    type: "pkcs8",
    format: "pem",
  });
  const wrong = {
    RSA: rsa.toString(),
    "P-384": newKey("secp384r1").pem,
    "P-384 as JWK": newKey("secp384r1").jwk,
    "a public key": first.publicPem,
    "a public JWK": first.publicJwk,
    text: "secret text",
    "JSON null": "null",
  };
  for (const [name, value] of Object.entries(wrong))
    for (const variable of ["JWT_SIGNING_KEY", "JWT_SIGNING_KEY_NEXT", "JWT_SIGNING_KEY_PREVIOUS"]) {
      const { problems } = readConfig({ ...plain.environment, [variable]: value });
      expect([name, problems]).toEqual([
        name,
        [expect.stringMatching(new RegExp(`^${variable} must be a private key`))],
      ]);
      expect(problems?.join()).not.toContain(value.slice(0, 40));
    }
  const twice = { JWT_SIGNING_KEY: first.pem, JWT_SIGNING_KEY_NEXT: first.pem };
  expect(readConfig({ ...plain.environment, ...twice }).problems).toEqual([
    "JWT_SIGNING_KEY_NEXT must differ from the other signing keys",
  ]);
  const inOtherForm = { JWT_SIGNING_KEY: first.pem, JWT_SIGNING_KEY_PREVIOUS: first.jwk };
  expect(instance(inOtherForm)).rejects.toThrow(
    "JWT_SIGNING_KEY_PREVIOUS must differ from the other signing keys",
  );
  const { d: _, ...half } = JSON.parse(first.jwk);
  const noPair = JSON.stringify({ ...half, d: JSON.parse(second.jwk).d });
  expect(instance({ JWT_SIGNING_KEY: noPair })).rejects.toThrow("JWT_SIGNING_KEY is no private key of P-256");
  expect(readConfig({ ...plain.environment, JWT_ACCEPT_HS256: "off" }).problems).toEqual([
    "JWT_ACCEPT_HS256 can be off only with JWT_SIGNING_KEY",
  ]);
});

test("`bun run signing-key` prints a new key each time, which the service accepts", async () => {
  const script = join(import.meta.dir, "../../../src/signing-key.ts");
  const print = () => Bun.spawnSync(["bun", script]).stdout.toString();
  const [one, other] = [print(), print()];
  expect(one).not.toBe(other);
  expect(one.trim().split("\n")).toHaveLength(1);
  const service = await instance({ JWT_SIGNING_KEY: one });
  const keys = createLocalJWKSet({ keys: (await keysOf(service)) as never });
  await jwtVerify(await tokenOf(service), keys, { issuer, audience: "api" });
});

test("no other path below /.well-known is the console's", async () => {
  const response = await fetch(`${signing.url}/.well-known/unknown`);
  expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/json"]);
});

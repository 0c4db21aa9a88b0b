import { expect, test } from "bun:test";
import { type JWTPayload, SignJWT } from "jose";
import { allowsApiKeys } from "../../src/core/access/access.ts";
import { type Permission, permissionNames } from "../../src/core/access/catalog.ts";
import { claimsOf } from "../support/caller.ts";
import { exceptionsOfProduct } from "../support/product-cases.ts";
import { request, sendRaw } from "../support/raw.ts";
import { definitions } from "../support/routes.ts";
import { startService } from "../support/service.ts";

/** The tokens live long enough for a busy machine to use them once. */
const t = await startService({ JWT_ACCESS_TTL: "6" });
const longLived = await startService();
const person = await longLived.person();
const token = person.accessToken ?? "";
const good = claimsOf(token);
const SECRET = longLived.environment.JWT_SECRET ?? "";
const ID = "0f9c1d5e-1111-4222-8333-444455556666";

const secretOf = (text: string) => new TextEncoder().encode(text);
const sign = (claims: JWTPayload, { alg = "HS256", typ = "JWT", secret = SECRET } = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg, typ }).sign(secretOf(secret));
const without = (claim: string) =>
  Object.fromEntries(Object.entries(good).filter(([name]) => name !== claim));
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Returns the status of `GET /api/profile` with a raw `Authorization` header. */
async function authorized(authorization: string | null): Promise<number> {
  const headers = authorization === null ? {} : { authorization };
  const response = await longLived.anonymous().get("/api/profile", { headers });
  if (response.status === 401) expect(response.body.code).toBe("UNAUTHENTICATED");
  return response.status;
}
const bearer = (value: string) => authorized(`Bearer ${value}`);

const KINDS_OF_ACCESS = [
  "public",
  "signed-in",
  "platform-admin",
  "member",
  "api-key",
  "app",
  "setup-link",
  ...permissionNames(),
];

test("every route declares its access, and is 401 without a token unless it is public", async () => {
  const document = (await t.anonymous().get("/api/docs-json")).body;
  const guarded: string[] = [];
  for (const [path, operations] of Object.entries<Record<string, Record<string, unknown>>>(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      expect(KINDS_OF_ACCESS).toContain(operation["x-access"] as string);
      if (operation["x-access"] === "public") continue;
      guarded.push(String(operation.operationId));
      const response = await t.anonymous().send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, ID));
      expect([operation.operationId, response.status, response.body.code]).toEqual([
        operation.operationId,
        401,
        "UNAUTHENTICATED",
      ]);
    }
  }
  expect(guarded.length).toBeGreaterThan(0);
});

/** The public routes. Adding one needs a reason, because anybody may call it. */
const PUBLIC = [
  "acceptInvitation",
  "beginConnectionSignIn",
  "beginPasskeySignIn",
  "beginProviderSignIn",
  "beginTwoFactorPasskey",
  "cancelEmailChange",
  "confirmEmailChange",
  "discoverConnection",
  "finishConnectionSignIn",
  "finishProviderSignIn",
  "forgotPassword",
  "getSettings",
  "issueOAuthTokens",
  "listIdentityProviders",
  "login",
  "previewInvitation",
  "receivePaymentEvent",
  "refresh",
  "register",
  "reportApiKey",
  "resendVerification",
  "resetPassword",
  "revokeOAuthToken",
  "signInWithPasskey",
  "undoEmailChange",
  "verifyEmail",
  "verifyTwoFactor",
];

test("no other routes than the intended ones are public", () => {
  const open = definitions.filter(({ access }) => access === "public");
  expect(open.map(({ operationId }) => operationId).sort()).toEqual(
    [...PUBLIC, ...exceptionsOfProduct("public")].sort(),
  );
});

test("a route that API keys may call for own or others' records declares the permission for others' records", () => {
  const declared = definitions.flatMap(({ access, path, method, ...route }) => {
    if (typeof access !== "object" || !allowsApiKeys({ access, ...route })) return [];
    const any = `${access.permission.replace(/One$/, "")}Any` as Permission;
    return permissionNames().includes(any) ? [[`${method} ${path}`, access.any, any]] : [];
  });
  // Those of the sample resource, todos.
  expect(declared.length).toBeGreaterThan(2);
  expect(declared.filter(([, found, any]) => found !== any)).toEqual([]);
});

test("a valid token is accepted, in whatever case the word Bearer is written", async () => {
  for (const scheme of ["Bearer", "bearer", "BEARER", "Bearer "])
    expect(await authorized(`${scheme} ${token}`)).toBe(200);
});

test("a missing token, another authentication scheme and malformed values are 401", async () => {
  const wrong = [
    null,
    "",
    "Bearer",
    "Bearer ",
    token,
    `Basic ${token}`,
    `Bearer${token}`,
    `Bearer ${token} x`,
    `Bearer "${token}"`,
    "Bearer a.b.c",
    "Bearer ..",
    `Bearer ${token.slice(0, -2)}`,
    `Bearer ${"a".repeat(8000)}`,
  ];
  for (const authorization of wrong)
    expect([authorization, await authorized(authorization)]).toEqual([authorization, 401]);
});

test("two tokens in one request are 401, even if they are equal", async () => {
  const headers = { Authorization: `Bearer ${token}\r\nAuthorization: Bearer ${token}` };
  const [response] = await sendRaw(longLived.url, request("GET /api/profile", headers));
  expect(response?.status).toBe(401);
});

test("a token in the query or in a cookie is ignored", async () => {
  const [inCookie] = await sendRaw(
    longLived.url,
    request("GET /api/profile", { Cookie: `access_token=${token}; Authorization=${token}` }),
  );
  expect(inCookie?.status).toBe(401);
  expect((await longLived.anonymous().get(`/api/profile?access_token=${token}`)).status).toBe(401);
});

test("a token signed with another key or algorithm is 401", async () => {
  const payload = token.split(".")[1];
  const unsigned = encoded({ alg: "none" });
  expect(await bearer(await sign(good))).toBe(200);
  expect(await bearer(await sign(good, { typ: "at+jwt" }))).toBe(401);
  expect(await bearer(await sign(good, { alg: "HS512" }))).toBe(401);
  expect(await bearer(await sign(good, { alg: "HS384" }))).toBe(401);
  expect(await bearer(await sign(good, { secret: "another-secret-0123456789-0123456789" }))).toBe(401);
  expect(await bearer(`${unsigned}.${payload}.`)).toBe(401);
  expect(await bearer(`${encoded({ alg: "NONE" })}.${payload}.x`)).toBe(401);
  expect(await bearer(`${unsigned}.${payload}.${token.split(".")[2]}`)).toBe(401);
  const changed = encoded({ ...good, isPlatformAdmin: true });
  expect(await bearer(`${token.split(".")[0]}.${changed}.${token.split(".")[2]}`)).toBe(401);
});

test("a token without one of its claims is 401", async () => {
  // Tokens of the previous version have no claims about proofs.
  const ofProofs = ["auth_time", "amr", "acr"];
  for (const claim of Object.keys(good))
    expect([claim, await bearer(await sign(without(claim)))]).toEqual([
      claim,
      ofProofs.includes(claim) ? 200 : 401,
    ]);
});

test("a token with another audience or issuer is 401", async () => {
  for (const aud of ["two-factor", "", "API", ["other"]])
    expect(await bearer(await sign({ ...good, aud }))).toBe(401);
  for (const iss of ["http://other.test", "", "http://app.test/"])
    expect(await bearer(await sign({ ...good, iss }))).toBe(401);
});

test("a token with a claim of the wrong type is 401", async () => {
  const wrong = [
    { isPlatformAdmin: "true" },
    { isPlatformAdmin: "false" },
    { isPlatformAdmin: 1 },
    { sub: "someone" },
    { sid: 1 },
    { roles: "ORG_ADMIN" },
    { permissions: "*" },
    { permissions: null },
    { organization: "x" },
    { organization: {} },
    { unitGrants: {} },
    { exp: String(good.exp) },
    { exp: null },
    { nbf: good.exp + 1000 },
    { mustEnableTwoFactor: "true" },
    { mustEnableTwoFactor: false },
    { mustEnableTwoFactor: null },
    { rolesTruncated: false },
  ];
  for (const claims of wrong)
    expect([claims, await bearer(await sign({ ...good, ...claims }))]).toEqual([claims, 401]);
});

test("an expired token is 401", async () => {
  const now = Math.floor(Date.now() / 1000);
  expect(await bearer(await sign({ ...good, exp: now - 1 }))).toBe(401);
  expect(await bearer(await sign({ ...good, exp: now }))).toBe(401);
  expect(await bearer(await sign({ ...good, exp: 0 }))).toBe(401);
});

test("a token that expires while it is in use is 401 from then on", async () => {
  const brief = await t.person();
  await brief.login();
  expect((await brief.get("/api/profile")).status).toBe(200);
  await Bun.sleep(Math.max(0, claimsOf(brief.accessToken ?? "").exp * 1000 - Date.now() + 50));
  expect((await brief.get("/api/profile")).status).toBe(401);
});

test("only platform administrators may send X-Organization-Id", async () => {
  const headers = { "x-organization-id": ID };
  const refused = await person.get("/api/profile", { headers });
  expect([refused.status, refused.body.code]).toEqual([403, "ORGANIZATION_OVERRIDE_FORBIDDEN"]);
  for (const empty of ["", "  "])
    expect((await person.get("/api/profile", { headers: { "x-organization-id": empty } })).status).toBe(200);
});

test("X-Organization-Id of a platform administrator accepts at most 50 ids", async () => {
  const admin = await longLived.platformAdmin();
  const send = (value: string) => admin.get("/api/profile", { headers: { "x-organization-id": value } });
  expect((await send(new Array(50).fill(ID).join(","))).status).toBe(200);
  for (const [value, message] of [
    [new Array(51).fill(ID).join(","), "X-Organization-Id must contain no more than 50 elements"],
    ["x", "X-Organization-Id must be a UUID"],
    [`${ID},x`, "X-Organization-Id must be a UUID"],
  ] as const) {
    expect((await send(value)).body.errors).toEqual([{ path: "X-Organization-Id", message }]);
  }
});

import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { generateKeyPair } from "jose";
import { createCipher } from "../../../src/platform/crypto.ts";
import { browser, outcomeOf, startOidc, withProviders } from "../../support/oidc.ts";
import { startService } from "../../support/service.ts";

const oidc = await startOidc();
const t = await startService(withProviders(oidc));

const FAILED = { error: "PROVIDER_ERROR" };
const signIn = () => browser(t, oidc).signIn(oidc.person());
const now = () => Math.floor(Date.now() / 1000);
const users = async () => (await t.sql("SELECT id FROM users")).length;

/** Runs `work` while the provider returns an error status on these paths. */
async function withoutPaths<T>(paths: string[], work: () => Promise<T>, status = 503): Promise<T> {
  oidc.failing = (path) => (paths.includes(path) ? status : null);
  return work().finally(() => {
    oidc.failing = null;
  });
}

test("an ID token with a wrong nonce, issuer, audience or time, or without a subject, is refused", async () => {
  const before = await users();
  const lies: Record<string, unknown>[] = [
    { nonce: "another" },
    { nonce: undefined },
    { iss: "https://other.test" },
    { iss: undefined },
    { aud: "another" },
    { aud: ["service", "another"], azp: "another" },
    { exp: now() - 3600 },
    { exp: undefined },
    { iat: undefined },
    { nbf: now() + 3600 },
    { sub: undefined },
    { sub: "" },
    { sub: 7 },
    { sub: "x".repeat(256) },
    { sub: "a\u0000b" },
  ];
  for (const claims of lies) {
    // The token contains an email, so the service does not request userinfo.
    const told = { email: `${crypto.randomUUID()}@provider.test`, email_verified: true, ...claims };
    expect([claims, await oidc.lying(told, signIn)]).toEqual([claims, FAILED]);
  }
  expect(await users()).toBe(before);
});

test("an ID token not signed with the provider's keys is refused", async () => {
  const { privateKey } = await generateKeyPair("RS256");
  const told = { email: `${crypto.randomUUID()}@provider.test`, email_verified: true };
  expect(await oidc.lying(told, signIn, privateKey)).toEqual(FAILED);

  for (const change of [
    (token: string) => `${btoa('{"alg":"none"}').replaceAll("=", "")}.${token.split(".")[1]}.`,
    // The token is signed with the client secret, which the service and the provider share.
    (token: string) => {
      const signed = `${btoa('{"alg":"HS256"}').replaceAll("=", "")}.${token.split(".")[1]}`;
      const mac = createHmac("sha256", oidc.environment.OIDC_ACME_CLIENT_SECRET ?? "").update(signed);
      return `${signed}.${mac.digest("base64url")}`;
    },
    (token: string) => token.slice(0, -8),
    () => "x",
    () => undefined,
  ]) {
    oidc.alter = ({ path, body }) => {
      if (path === "/token")
        Object.assign(body as object, { id_token: change((body as { id_token: string }).id_token) });
    };
    const outcome = await signIn();
    oidc.alter = null;
    expect(outcome).toEqual(FAILED);
  }
});

test("a userinfo response with another subject than the ID token is refused", async () => {
  oidc.alter = ({ path, body }) => {
    if (path === "/me") Object.assign(body as object, { sub: "somebody else" });
  };
  const outcome = await signIn();
  oidc.alter = null;
  expect(outcome).toEqual(FAILED);
});

test("an authorization code cannot be exchanged without its PKCE verifier", async () => {
  const visitor = browser(t, oidc);
  const callback = await oidc.visit(await visitor.begin(), oidc.person());
  const cipher = createCipher(t.environment.JWT_SECRET ?? "", "oidc state");
  const state = cipher.decrypt(decodeURIComponent(visitor.state ?? "")) as { secrets: object };
  const verifier = "v".repeat(43);
  visitor.state = encodeURIComponent(cipher.encrypt({ ...state, secrets: { ...state.secrets, verifier } }));
  expect(await visitor.finish(callback)).toEqual(FAILED);
});

test("a sign-in writes nothing if the provider fails during it, and works once the provider does", async () => {
  const before = await users();
  for (const path of ["/token", "/me"]) {
    expect(await withoutPaths([path], signIn)).toEqual(FAILED);
    expect(await withoutPaths([path], signIn, 302)).toEqual(FAILED);
    expect(await withoutPaths([path], signIn, 200)).toEqual(FAILED);
  }
  expect(await users()).toBe(before);
  expect(Object.keys(await signIn())).toEqual(["token"]);
});

test("a provider's response is not read further than 1 MB", async () => {
  for (const path of ["/token", "/me"]) {
    oidc.alter = (context) => {
      if (context.path === path) Object.assign(context.body as object, { more: "x".repeat(1024 * 1024) });
    };
    const outcome = await signIn();
    oidc.alter = null;
    expect([path, outcome]).toEqual([path, FAILED]);
  }
});

test("a provider's metadata is fetched on first use, once, and again only after a failure", async () => {
  const METADATA = "/.well-known/openid-configuration";
  const late = await startOidc("late");
  const fresh = await startService(withProviders(late));
  const asked = () => late.calls.filter((path) => path === METADATA).length;
  expect(asked()).toBe(0);
  late.failing = () => 500;
  const refused = await fresh.anonymous().get("/api/auth/oidc/late");
  expect([outcomeOf(refused), refused.headers.getSetCookie()]).toEqual([FAILED, []]);
  expect(asked()).toBe(1);
  late.failing = null;
  const visits = await Promise.all(Array.from({ length: 5 }, () => browser(fresh, late).begin()));
  expect(visits.every((url) => url.startsWith(late.issuer))).toBe(true);
  await browser(fresh, late).begin();
  expect(asked()).toBe(2);
});

test("provider metadata with another issuer is refused", async () => {
  const liar = await startOidc("liar");
  const fresh = await startService(withProviders(liar));
  liar.alter = ({ path, body }) => {
    if (path.startsWith("/.well-known")) Object.assign(body as object, { issuer: oidc.issuer });
  };
  expect(outcomeOf(await fresh.anonymous().get("/api/auth/oidc/liar"))).toEqual(FAILED);
});

test("a provider that is down does not keep the service from starting, and works once it is up", async () => {
  const gone = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(null) });
  const { port } = gone;
  await gone.stop(true);
  const fresh = await startService({
    ...withProviders(oidc),
    OIDC_ACME_ISSUER: `http://127.0.0.1:${port}`,
  });
  expect(outcomeOf(await fresh.anonymous().get("/api/auth/oidc/acme"))).toEqual(FAILED);
  const person = await fresh.person();
  const { password } = person.account;
  const link = await person.post("/api/profile/identities/acme", { password });
  expect([link.status, link.body.code, link.headers.getSetCookie()]).toEqual([502, "PROVIDER_ERROR", []]);

  const issuer = `http://127.0.0.1:${port}`;
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
  };
  const back = Bun.serve({ hostname: "127.0.0.1", port: Number(port), fetch: () => Response.json(metadata) });
  const response = await fresh.anonymous().get("/api/auth/oidc/acme");
  await back.stop(true);
  expect(response.headers.get("location")).toStartWith(`${issuer}/auth?`);
});

import { afterAll, expect, test } from "bun:test";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BOT_CHECK_KEYS, startBotCheck } from "../../../src/dev/bot-check.ts";
import { counter, countStatements, hasAccount, newAccount, register } from "../../support/front-door.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";

/* Each request sets its IP address by X-Forwarded-For, like a reverse proxy. */
const provider = startBotCheck();
afterAll(() => provider.stop());
const folder = await mkdtemp(join(tmpdir(), "web-"));
await mkdir(join(folder, "assets"));
await Bun.write(join(folder, "index.html"), '<meta content="{{botCheck}}">');
const KEYS = {
  BOT_CHECK: "turnstile",
  BOT_CHECK_SITE_KEY: BOT_CHECK_KEYS.siteKey,
  BOT_CHECK_SECRET: BOT_CHECK_KEYS.secret,
};
const t = await startService(
  { ...KEYS, BOT_CHECK_URL: provider.url, TRUST_PROXY: "1", METRICS_PORT: "0", WEB: "on" },
  { webFolder: folder },
);
const plain = await startService({ WEB: "on" }, { webFolder: folder });
const details = { kind: "turnstile", siteKey: BOT_CHECK_KEYS.siteKey };
const refusal = { statusCode: 403, code: "BOT_CHECK_REQUIRED", details };

const ROUTES = [
  ["/api/auth/register", () => newAccount()],
  ["/api/auth/forgot-password", () => ({ email: uniqueEmail() })],
  ["/api/auth/resend-verification", () => ({ email: uniqueEmail() })],
] as const;

test.each(ROUTES)(
  "%s needs a token of the bot check, which works once; nothing is looked up without one",
  async (path, body) => {
    const post = (botToken?: string) =>
      t.anonymous().post(path, { ...body(), ...(botToken !== undefined && { botToken }) });
    const token = provider.token();
    for (const wrong of [undefined, "", "wrong"]) {
      const count = await countStatements(t, async () => {
        expect(expectStatus(await post(wrong), 403).body).toMatchObject(refusal);
      });
      expect(count).toBe(0);
    }
    expectStatus(await post(token), 202);
    expect(provider.asked.at(-1)).toEqual({ secret: BOT_CHECK_KEYS.secret, response: token });
    expect((await post(token)).body).toMatchObject(refusal);
    expect((await post("x".repeat(2049))).body.code).toBe("VALIDATION_FAILED");
  },
);

test("a provider that fails or answers oddly allows the request, which is counted", async () => {
  const outcomes = async () => (await counter(t, "bot_checks_total"))["outcome=failed"] ?? 0;
  for (const answer of [
    () => new Response("", { status: 500 }),
    () => new Response("<html>"),
    () => Response.json({ success: "yes" }),
    () => Response.json({ success: false, "error-codes": ["internal-error"] }),
    async () => {
      await Bun.sleep(4_000);
      return Response.json({ success: false });
    },
  ]) {
    const before = await outcomes();
    provider.answer = answer;
    const email = uniqueEmail();
    expectStatus(await register(t, email, { botToken: "any" }), 202);
    expect(await hasAccount(t, email)).toBe(true);
    provider.answer = null;
    expect(await outcomes()).toBe(before + 1);
  }
  expect((await register(t, uniqueEmail())).status).toBe(403);
});

test("login needs the bot check after five failures of an address in 15 minutes, and other addresses do not", async () => {
  const person = await t.person();
  const login = (password: string, ip: string, botToken?: string) =>
    t
      .anonymous()
      .post(
        "/api/auth/login",
        { email: person.email, password, ...(botToken !== undefined && { botToken }) },
        { headers: { "x-forwarded-for": ip } },
      );
  const network = (host: number) => `2001:db8:0:1::${host}`;
  for (let failure = 1; failure <= 5; failure += 1)
    expect((await login("not the password", network(failure))).status).toBe(401);
  const count = await countStatements(t, async () => {
    expect((await login(person.account.password, network(6))).body).toMatchObject(refusal);
  });
  expect(count).toBe(0);
  expectStatus(await login(person.account.password, network(6), provider.token()), 200);
  expectStatus(await login(person.account.password, "2001:db8:0:2::1"), 200);
});

test("without a bot check a token is ignored, and the console's policy is as before", async () => {
  expectStatus(await register(plain, uniqueEmail(), { botToken: "any" }), 202);
  const page = async (service: typeof t) => {
    const response = await fetch(service.url);
    return { policy: response.headers.get("content-security-policy") ?? "", html: await response.text() };
  };
  const [without, withCheck] = [await page(plain), await page(t)];
  const { origin } = new URL(provider.url);
  const script = without.policy.split("; ").find((part) => part.startsWith("script-src")) ?? "";
  expect(withCheck.policy.split("; ").toSorted()).toEqual(
    [...without.policy.replace(script, `${script} ${origin}`).split("; "), `frame-src ${origin}`].toSorted(),
  );
  expect([without.html, withCheck.html]).toEqual(['<meta content="">', `<meta content="${origin}">`]);
});

import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../../src/app/config.ts";
import { environmentFor } from "../../support/environment.ts";
import { hasAccount, register } from "../../support/front-door.ts";
import { acceptNew, invited } from "../../support/invitations.ts";
import { browser, startOidc, withProviders } from "../../support/oidc.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";

const folder = await mkdtemp(join(tmpdir(), "blocked-"));
async function file(text: string): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.txt`);
  await Bun.write(path, text);
  return path;
}
const oidc = await startOidc();
const REGISTRATION_BLOCKED_DOMAINS = await file(
  "\ufeff# disposable\r\n\r\nX.org # and below\r\nbücher.example\n",
);
const start = (REGISTRATION: string) =>
  startService({ ...withProviders(oidc), REGISTRATION, REGISTRATION_BLOCKED_DOMAINS });
const [open, off] = await Promise.all([start("open"), start("off")]);
const at = (domain: string) => `${crypto.randomUUID()}@${domain}`;
const BLOCKED = ["x.org", "b.x.org", "c.b.X.ORG", "bücher.example", "a.xn--bcher-kva.example"];
const violation = { path: "email", message: "email must not be of this domain" };

test("an address of a blocked domain, or below one, is 400 at registration in every mode, before REGISTRATION_CLOSED", async () => {
  for (const t of [open, off])
    for (const domain of BLOCKED) {
      const response = expectStatus(await register(t, at(domain)), 400);
      expect([domain, response.body.errors]).toEqual([domain, [violation]]);
    }
  const both = await register(open, at("x.org"), { password: "short" });
  expect(both.body.errors.map(({ path }: { path: string }) => path)).toEqual(["password", "email"]);
  for (const domain of ["notx.org", "x.org.example.com", "org.example.com"])
    expectStatus(await register(open, at(domain)), 202);
});

test("an email is not changed to a blocked domain", async () => {
  for (const t of [open, off]) {
    const person = await t.person();
    const response = expectStatus(await person.post("/api/profile/email", { email: at("b.x.org") }), 400);
    expect(response.body.errors).toEqual([violation]);
    const more = await person.post("/api/profile/email", { email: at("x.org"), more: 1 });
    expect(more.body.errors).toHaveLength(2);
    expectStatus(await person.post("/api/profile/email", { email: at("notx.org") }), 202);
  }
});

test("a provider creates no account of a blocked domain, and an invitation to one is accepted", async () => {
  const email = at("x.org");
  const visitor = browser(open, oidc);
  expect(await visitor.signIn(oidc.person({ email }))).toEqual({ error: "REGISTRATION_CLOSED" });
  expect(await hasAccount(open, email)).toBe(false);
  const { admin } = await createOrganization(open);
  const { token } = await invited(open, admin, { email });
  expectStatus(await acceptNew(open, token), 204);
});

const problems = (environment: Record<string, string>) =>
  readConfig({ ...environmentFor("postgres://user@localhost/service", 25), ...environment }).problems;

test("a missing or wrong file of blocked domains prevents startup, without showing its content", async () => {
  expect(problems({ REGISTRATION_BLOCKED_DOMAINS: join(folder, "missing") })).toEqual([
    "REGISTRATION_BLOCKED_DOMAINS cannot be read",
  ]);
  for (const wrong of ["fine.org\nuser@x.org", "fine.org\n*.x.org", "fine.org\nx .org"])
    expect(problems({ REGISTRATION_BLOCKED_DOMAINS: await file(wrong) })).toEqual([
      "REGISTRATION_BLOCKED_DOMAINS has no domain in line 2",
    ]);
  expect(problems({ REGISTRATION_BLOCKED_DOMAINS: await file("# none\n") })).toBeNull();
});

test("wrong values of the front door are refused at startup, all together", () => {
  const production = { NODE_ENV: "production", APP_URL: "https://app.test", STORAGE_DIR: "/tmp" };
  expect(
    problems({
      ...production,
      REGISTRATION: "domains",
      BREACHED_PASSWORDS_URL: "http://range.test/",
      BOT_CHECK: "turnstile",
      BOT_CHECK_URL: "https://stand-in.test/",
    }),
  ).toEqual([
    "REGISTRATION_DOMAINS is required because REGISTRATION is domains",
    "BOT_CHECK_SITE_KEY is required because BOT_CHECK is turnstile",
    "BOT_CHECK_SECRET is required because BOT_CHECK is turnstile",
    "BREACHED_PASSWORDS_URL must begin with https: in production",
    "BOT_CHECK_URL must be unset in production: it is for stand-ins",
  ]);
  for (const domains of [",", "acme", "*.*.acme.com", "user@acme.com", "acme.com/"])
    expect([domains, problems({ REGISTRATION: "domains", REGISTRATION_DOMAINS: domains })]).toEqual([
      domains,
      ["REGISTRATION_DOMAINS must be a comma-separated list of domains such as acme.com or *.acme.com"],
    ]);
});

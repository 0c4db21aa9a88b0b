import { expect, test } from "bun:test";
import { countStatements } from "../../support/front-door.ts";
import { startOidc, withProviders } from "../../support/oidc.ts";
import { startService } from "../../support/service.ts";

const oidc = await startOidc();
const t = await startService({ SSO: "off", OAUTH: "off" });
const SETTINGS = "/api/auth/settings";

test("by default the settings are those of an open service, may be cached for a minute, and read nothing from the database", async () => {
  const { status, body, headers } = await t.anonymous().get(SETTINGS);
  expect([status, body]).toEqual([
    200,
    {
      registration: "open",
      organizationCreation: "everyone",
      passkeys: "on",
      sso: false,
      oauth: false,
      providers: [],
      botCheck: null,
    },
  ]);
  expect(headers.get("cache-control")).toBe("public, max-age=60");
  const person = await t.person();
  const count = await countStatements(t, () =>
    Promise.all([t.anonymous().get(SETTINGS), person.get(SETTINGS)]),
  );
  expect(count).toBe(0);
  expect((await t.anonymous().get(`${SETTINGS}?x=1`)).status).toBe(400);
});

test("the settings say what pages need, and nothing about domains and secrets", async () => {
  const other = await startService({
    ...withProviders(oidc),
    OAUTH: "on",
    REGISTRATION: "domains",
    REGISTRATION_DOMAINS: "secret-domain.example",
    ORGANIZATION_CREATION: "platform-admins",
    PASSKEYS: "second-factor",
    BOT_CHECK: "turnstile",
    BOT_CHECK_SITE_KEY: "site-key",
    BOT_CHECK_SECRET: "secret-key",
  });
  const { body } = await other.anonymous().get(SETTINGS);
  expect(body).toEqual({
    registration: "domains",
    organizationCreation: "platform-admins",
    passkeys: "second-factor",
    sso: true,
    oauth: true,
    providers: [{ key: "acme", name: "The acme" }],
    botCheck: { kind: "turnstile", siteKey: "site-key" },
  });
  expect(JSON.stringify(body)).not.toContain("secret");
});

import { afterAll, afterEach, describe, test } from "bun:test";
import { startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";

/** A reverse proxy with the console at /console and the API at /api of the same host. */
let target = "";
const proxy = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 60,
  fetch(request) {
    const { pathname, search } = new URL(request.url);
    const isApi = pathname.startsWith("/api/");
    if (!isApi && !pathname.startsWith("/console")) return new Response(null, { status: 404 });
    const path = isApi ? pathname : pathname.slice("/console".length) || "/";
    return fetch(new Request(target + path + search, request), { redirect: "manual" });
  },
});
const origin = `http://127.0.0.1:${proxy.port}`;
const client = { id: "service", secret: "only-for-tests" };
const redirectUris = [`${origin}/api/auth/oidc/acme/callback`];
const people = new Map([
  [
    "grace",
    { email: "grace@provider.test", email_verified: true, given_name: "Grace", family_name: "Hopper" },
  ],
  ["alan", { email: "alan@provider.test", email_verified: true, given_name: "Alan", family_name: "Turing" }],
]);
const provider = await startIdentityProvider({ client: { ...client, redirectUris }, people });
afterAll(async () => {
  await provider.stop();
  await proxy.stop(true);
});
const t = await startConsole({
  APP_URL: `${origin}/console`,
  API_URL: origin,
  OIDC_PROVIDERS: "acme",
  OIDC_ACME_ISSUER: provider.issuer,
  OIDC_ACME_CLIENT_ID: client.id,
  OIDC_ACME_CLIENT_SECRET: client.secret,
  OIDC_ACME_NAME: "Acme ID",
});
target = t?.url ?? "";
afterEach(expectQuiet);

describe.skipIf(withoutBrowser)("a console that is served under a sub-path", () => {
  test("keeps pages, links and redirects after sign-in under that path, also after third-party sign-in", async () => {
    const person = await t.person();
    const page = await open(t, `${origin}/console/todos?sort=title`);
    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.account.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Todos", level: 1 }).waitFor();
    await page.waitForURL(`${origin}/console/todos?sort=title`);
    await page.reload();
    await page.getByRole("heading", { name: "Todos", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Ada Lovelace" }).click();
    await page.getByRole("menuitem", { name: "Sessions" }).click();
    await page.getByText("This device").waitFor();
    await page.waitForURL(`${origin}/console/profile/sessions`);
    await page.getByRole("button", { name: "Ada Lovelace" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();

    await page.getByRole("button", { name: "Continue with Acme ID" }).click();
    await page.getByRole("button", { name: /grace@provider.test/ }).click();
    await page.getByRole("heading", { name: "Sessions", level: 1 }).waitFor();
    await page.waitForURL(`${origin}/console/profile/sessions`);
    await page.reload();
    await page.getByText("This device").waitFor();
    // A user without a password cannot remove the only sign-in method.
    await page.getByRole("link", { name: "Security" }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("alert").getByText("This is your only way to sign in.").waitFor();
  });

  test("adds a third-party sign-in method after the password is confirmed, and removes it", async () => {
    const person = await t.person();
    const page = await open(t, `${origin}/console/profile/security`, { as: person });
    const methods = page.getByRole("region", { name: "Sign-in methods" });
    await methods.getByRole("button", { name: "Add Acme ID" }).click();
    await methods.getByLabel("Password", { exact: true }).fill("not the password");
    await methods.getByRole("button", { name: "Add Acme ID" }).click();
    await methods.getByText("The password is wrong.").waitFor();
    await methods.getByLabel("Password", { exact: true }).fill(person.account.password);
    await methods.getByRole("button", { name: "Add Acme ID" }).click();
    await page.getByRole("button", { name: /alan@provider.test/ }).click();
    await methods.getByText(/alan@provider.test/).waitFor();
    await methods.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await methods.getByText(/alan@provider.test/).waitFor({ state: "detached" });
    await methods.getByRole("button", { name: "Add Acme ID" }).waitFor();
  });
});

import { afterAll, afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { invited } from "../support/invitations.ts";
import { createOrganization } from "../support/organizations.ts";
import { idOf } from "../support/outcomes.ts";
import { expectStatus, uniqueEmail } from "../support/service.ts";
import { addAuthenticator, freePort } from "./support/authenticators.ts";
import { axe } from "./support/axe.ts";
import { closeAfterTest, expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { makeStale, signInByPassword, withPasskey } from "./support/passkeys.ts";
import { fill, heading, press, says } from "./support/steps.ts";

/* Proofs of identity in Chromium: by a provider in a window, by a passkey that a required second factor needs. */

const [port, strictPort] = [freePort(), freePort()];
const ORIGIN = `http://localhost:${port}`;
const STRICT_ORIGIN = `http://localhost:${strictPort}`;
const GRACE = uniqueEmail();
const people = new Map([
  ["grace", { email: GRACE, email_verified: true, given_name: "Grace", family_name: "Hopper" }],
]);
const client = { id: "service", secret: "only-for-tests" };
const redirectUris = [`${ORIGIN}/api/auth/oidc/acme/callback`];
const provider = await startIdentityProvider({ client: { ...client, redirectUris }, people });
afterAll(() => provider.stop());
const t = await startConsole({
  ...{ APP_URL: ORIGIN, PORT: String(port) },
  ...{ OIDC_PROVIDERS: "acme", OIDC_ACME_ISSUER: provider.issuer, OIDC_ACME_NAME: "Acme ID" },
  ...{ OIDC_ACME_CLIENT_ID: client.id, OIDC_ACME_CLIENT_SECRET: client.secret },
});
const strict = await startConsole({
  ...{ APP_URL: STRICT_ORIGIN, PORT: String(strictPort), REQUIRE_TWO_FACTOR: "all" },
});
afterEach(expectQuiet);

const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Confirm that it is you" });
const added = (page: Page) => page.getByRole("button", { name: /^Remove: / });

describe.skipIf(withoutBrowser)("a proof by a provider", () => {
  test("is made in a window, which closes by itself; the refused request is repeated", async () => {
    const page = await open(t, `${ORIGIN}/sign-in`);
    const choose = (window: Page) => window.getByRole("button", { name: GRACE }).click();
    await press(page, "Continue with Acme ID");
    await choose(page);
    await heading(page, /^Welcome/);
    await addAuthenticator(page);
    await page.goto(`${ORIGIN}/profile/security`);
    const [user] = await t.sql("SELECT id FROM users WHERE email = $1", [GRACE]);
    await makeStale(t, page, String(user?.id));

    await press(page, "Add a passkey");
    const dialog = dialogOf(page);
    await dialog.waitFor();
    await axe(page);
    // A browser that blocks the first window.
    await page.evaluate(
      "{ const { open } = window; window.open = () => { window.open = open; return null; }; }",
    );
    await dialog.getByRole("button", { name: "Continue with Acme ID" }).click();
    await dialog.getByRole("alert").getByText("The browser blocked the window.").waitFor();

    const opening = page.waitForEvent("popup");
    await dialog.getByRole("button", { name: "Continue with Acme ID" }).click();
    const popup = await opening;
    const closed = popup.waitForEvent("close");
    // The window may close before the click has ended.
    await Promise.all([closed, choose(popup).catch(() => {})]);
    await added(page).waitFor();
    await dialog.waitFor({ state: "hidden" });
    const [proof] = await t.sql(
      "SELECT proved_at > now() - interval '10 minutes' AS fresh FROM session_proofs WHERE user_id = $1 AND kind = 'provider'",
      [user?.id],
    );
    expect(proof).toEqual({ fresh: true });
  });
});

describe.skipIf(withoutBrowser)("an invitation of a new person", () => {
  test("offers the sign-in provider, which leads back to the invitation", async () => {
    const { admin } = await createOrganization(t, "Umbrella");
    const { token, email } = await invited(t, admin);
    people.set("invited", { email, email_verified: true, given_name: "Ann", family_name: "Invited" });
    const page = await open(t, `${ORIGIN}/accept-invitation?token=${token}`);
    await heading(page, "Join Umbrella");
    await press(page, "Continue with Acme ID");
    await page.getByRole("button", { name: email }).click();
    await press(page, "Accept the invitation");
    await says(page, "Umbrella · Member");
  });
});

describe.skipIf(withoutBrowser)("a security key without PIN and storage", () => {
  test("is added beside the password, as a second factor only", async () => {
    const { page } = await withPasskey(t, ORIGIN, await t.person(), { isU2f: true });
    await says(page, "Second factor only: it does not sign in without the password");
  });
});

describe.skipIf(withoutBrowser)("the dialog for a proof of identity", () => {
  test("is the only one that Escape closes; the dialog below it shows why nothing was done", async () => {
    const person = await t.person();
    const { page } = await withPasskey(t, ORIGIN, person);
    await makeStale(t, page, idOf(person));
    await added(page).click();
    const below = page.getByRole("dialog", { name: "Remove" });
    await below.getByRole("button", { name: "Remove" }).click();
    await dialogOf(page).waitFor();
    await page.keyboard.press("Escape");
    await dialogOf(page).waitFor({ state: "hidden" });
    await below.getByText("Confirm that it is you, then try again.").waitFor();
    await page.keyboard.press("Escape");
    await below.waitFor({ state: "hidden" });
    await added(page).waitFor();
  });
});

describe.skipIf(withoutBrowser)("a required second factor", () => {
  test("is asked for on every page that a signed-in user opens, and its setup leads back to the page", async () => {
    const page = await open(strict, `${STRICT_ORIGIN}/profile`, { as: await strict.person() });
    await heading(page, "Protect your account");
    await page.goto(`${STRICT_ORIGIN}/todos`);
    await heading(page, "Protect your account");
    await addAuthenticator(page);
    await press(page, "Add a passkey");
    await press(page, "I have saved the codes");
    await heading(page, "Todos");
  });

  test("is set up with a passkey, which shows recovery codes and leads to the requested page", async () => {
    const person = await strict.person();
    const page = await open(strict, `${STRICT_ORIGIN}/profile/sessions`);
    await fill(page, "Email address", person.email);
    await fill(page, "Password", person.account.password);
    await press(page, "Sign in");
    await heading(page, "Protect your account");
    await addAuthenticator(page);
    await press(page, "Add a passkey");
    await says(page, "Recovery codes");
    await axe(page);
    expect(await page.locator(".recovery-codes li").count()).toBe(10);
    await press(page, "I have saved the codes");
    await heading(page, "Sessions");
    const [user] = await strict.sql(
      `SELECT two_factor_enabled_at IS NOT NULL AS "isOn",
         (SELECT count(*)::int FROM passkeys WHERE user_id = u.id) AS passkeys FROM users u WHERE id = $1`,
      [idOf(person)],
    );
    expect(user).toEqual({ isOn: true, passkeys: 1 });
    // The password alone signs in no more.
    await page.context().clearCookies();
    await signInByPassword(page, person);
    await heading(page, "Second factor");
    await press(page, "Use your passkey");
    await heading(page, /^Welcome/);
  });
});

/** Counts the requests for a passkey in a page, and keeps the signal that aborts the last one. */
const LISTENING = `
  globalThis.listening = { requests: 0 };
  const get = navigator.credentials.get.bind(navigator.credentials);
  navigator.credentials.get = (options) => {
    listening.requests += 1;
    listening.signal = options.signal;
    return get(options);
  };`;
const untilRequests = (page: Page, count: number) =>
  page.waitForFunction((count) => Object(globalThis).listening.requests === count, count);
const setVisibility = (page: Page, state: "visible" | "hidden") =>
  page.evaluate(`
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${state}" });
    document.dispatchEvent(new Event("visibilitychange"));`);
/** A challenge is renewed after four minutes. */
const RENEWAL_MS = 240_000;

describe.skipIf(withoutBrowser)(
  "the passkeys that the browser offers at the field of the email address",
  () => {
    test("have a new challenge every four minutes while the page is visible, and still sign in", async () => {
      const person = await t.person();
      const { page, authenticator } = await withPasskey(t, ORIGIN, person);
      await authenticator.touch(false);
      await page.context().clearCookies();
      closeAfterTest(page);
      await page.clock.install();
      await page.addInitScript(LISTENING);
      await page.goto(`${ORIGIN}/sign-in`);
      await untilRequests(page, 1);
      await page.clock.fastForward(RENEWAL_MS);
      await untilRequests(page, 2);
      await setVisibility(page, "hidden");
      await page.clock.fastForward(RENEWAL_MS);
      expect(await page.evaluate("[listening.requests, listening.signal.aborted]")).toEqual([2, false]);
      await setVisibility(page, "visible");
      await untilRequests(page, 3);
      await authenticator.touch(true);
      await page.clock.fastForward(RENEWAL_MS);
      await heading(page, /^Welcome/);
    });
  },
);

/** Keeps what a page tells the password manager. */
const SIGNALS = `
  globalThis.signals = {};
  PublicKeyCredential.signalAllAcceptedCredentials = async (accepted) => void (signals.accepted = accepted);
  PublicKeyCredential.signalCurrentUserDetails = async (details) => void (signals.details = details);`;

describe.skipIf(withoutBrowser)("the browser's password manager", () => {
  test("learns the passkeys when one is added or removed, and the name and email when they change", async () => {
    const person = await t.person();
    const page = await open(t, `${ORIGIN}/profile/security`, { as: person });
    const authenticator = await addAuthenticator(page);
    closeAfterTest(page);
    await page.addInitScript(SIGNALS);
    await page.reload();
    /** Waits for what follows a step. The details are the last. */
    const signaled = async () => {
      const heard = await page.waitForFunction(() => {
        const { signals } = Object(globalThis);
        return signals.details && signals.accepted && signals;
      });
      const { accepted, details } = Object(await heard.jsonValue());
      await page.evaluate("signals = {}");
      return [accepted.allAcceptedCredentialIds.length, details.name, details.displayName];
    };
    const { email } = person;
    await press(page, "Add a passkey");
    expect(await signaled()).toEqual([1, email, "Ada Lovelace"]);
    // An authenticator has one passkey of an account.
    await authenticator.remove();
    await addAuthenticator(page);
    await press(page, "Add a passkey");
    expect(await signaled()).toEqual([2, email, "Ada Lovelace"]);
    await added(page).first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    expect(await signaled()).toEqual([1, email, "Ada Lovelace"]);

    await page.goto(`${ORIGIN}/profile`);
    await fill(page, "Last name", "Byron");
    await press(page, "Save");
    expect(await signaled()).toEqual([1, email, "Ada Byron"]);

    const newEmail = uniqueEmail();
    expectStatus(await person.post("/api/profile/email", { email: newEmail }), 202);
    for (const [address, outcome] of [
      [email, /other address/],
      [newEmail, /changed/],
    ] as const) {
      await page.goto((await t.linkTo(address, "/confirm-email-change")).url);
      await page.getByRole("main").getByRole("button").first().click();
      await page.getByRole("heading", { name: outcome, level: 1 }).waitFor();
    }
    expect(await signaled()).toEqual([1, newEmail, "Ada Byron"]);
  });
});

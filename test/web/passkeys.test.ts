import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Caller } from "../support/caller.ts";
import { idOf } from "../support/outcomes.ts";
import { expectStatus, uniqueEmail } from "../support/service.ts";
import { withTwoFactor } from "../support/two-factor.ts";
import { addAuthenticator, freePort, type VirtualAuthenticator } from "./support/authenticators.ts";
import { axe } from "./support/axe.ts";
import { closeAfterTest, expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { makeStale, signInByPassword, withPasskey } from "./support/passkeys.ts";
import { fill, heading, press, says } from "./support/steps.ts";
import { expectSoon, focusWithin, hold } from "./support/waits.ts";

/* Passkeys in Chromium, with its virtual authenticators. */

const port = freePort();
const ORIGIN = `http://localhost:${port}`;
const t = await startConsole({ APP_URL: ORIGIN, PORT: String(port) });
afterEach(expectQuiet);

async function passkeysOf(person: Caller) {
  return expectStatus(await person.get("/api/profile/passkeys"), 200).body as {
    name: string;
    backupEligible: boolean;
    backedUp: boolean;
    transports: string[];
    lastUsedAt: string | null;
  }[];
}

async function signOut(page: Page) {
  await page.getByRole("button", { name: "Ada Lovelace" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await heading(page, "Sign in");
}

describe.skipIf(withoutBrowser)("passkeys", () => {
  test("a passkey of the device, synced or bound to it, or on a USB key is added, and signs in by the button without email and password", async () => {
    const person = await t.person();
    const page = await open(t, `${ORIGIN}/profile/security`, { as: person });
    const add = async (options: VirtualAuthenticator, kind: string) => {
      const authenticator = await addAuthenticator(page, options);
      await press(page, "Add a passkey");
      await says(page, kind);
      await says(page, /Never used/);
      const [passkey] = await passkeysOf(person);
      const { isSynced = false, transport } = options;
      expect(passkey).toMatchObject({
        ...{ backupEligible: isSynced, backedUp: isSynced, transports: [transport] },
      });
      return authenticator;
    };
    for (const [options, kind] of [
      [{ transport: "internal", isSynced: true }, "Synced to your devices"],
      [{ transport: "internal" }, "Bound to one device"],
      [{ transport: "usb" }, "Bound to one device"],
    ] as const) {
      const authenticator = await add(options, kind);
      await authenticator.touch(false);
      await signOut(page);
      await authenticator.touch(true);
      await press(page, "Continue with a passkey");
      // Sign-in leads back to the page of before.
      await heading(page, "Security");
      expect((await passkeysOf(person))[0]?.lastUsedAt).not.toBeNull();
      await authenticator.remove();
      await press(page, /^Remove: /);
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await says(page, "You have no passkey yet.");
    }
  });

  test("the browser offers passkeys at the field of the email address, without a click", async () => {
    const person = await t.person();
    const { page, authenticator } = await withPasskey(t, ORIGIN, person);
    await authenticator.touch(false);
    await signOut(page);
    expect(await page.getByLabel("Email address").getAttribute("autocomplete")).toBe("username webauthn");
    // The virtual authenticator chooses its passkey in the browser's list at once.
    await authenticator.touch(true);
    await page.reload();
    await heading(page, "Security");
  });

  test("the dialog of the button stays open, although the page offers passkeys at the field a second after it is shown", async () => {
    const person = await t.person();
    const { page, authenticator } = await withPasskey(t, ORIGIN, person);
    await authenticator.touch(false);
    await signOut(page);
    closeAfterTest(page);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.goto(`${ORIGIN}/sign-in`);
    await heading(page, "Sign in");
    const challenges = await hold(page, "POST", "**/api/auth/passkey/options");
    await press(page, "Continue with a passkey");
    await expectSoon(challenges.count, 1);
    await page.clock.fastForward(2_000);
    await page.clock.resume();
    await authenticator.touch(true);
    challenges.release();
    await heading(page, /^Welcome/);
    expect(challenges.count()).toBe(1);
  });

  // A key without user verification is added as a second factor: see step-up.test.ts.
  test("without user verification a passkey does not sign in, and the page says what to do", async () => {
    const person = await t.person();
    const { page, authenticator } = await withPasskey(t, ORIGIN, person, { transport: "usb" });
    await authenticator.verify(false);
    await signOut(page);
    await press(page, "Continue with a passkey");
    await says(page, "No passkey was used. Try again, or choose another way.");
    await authenticator.verify(true);
    await press(page, "Continue with a passkey");
    await heading(page, "Security");
  });

  test("a passkey is the second factor after the password, beside code and recovery code", async () => {
    const person = await t.person();
    const { page, authenticator } = await withPasskey(t, ORIGIN, person, { transport: "usb" });
    await withTwoFactor(t, person);
    await authenticator.touch(false);
    await page.context().clearCookies();
    await signInByPassword(page, person);
    await heading(page, "Second factor");
    await press(page, "Use a recovery code instead");
    await page.getByRole("textbox", { name: "Recovery code" }).waitFor();
    await press(page, "Use an authenticator code instead");
    await page.getByRole("textbox", { name: "Code", exact: true }).waitFor();
    await press(page, "Use a passkey instead");
    await axe(page);
    await authenticator.touch(true);
    await press(page, "Use your passkey");
    await heading(page, /^Welcome/);
  });

  test("two-factor authentication is turned on and off by a passkey alone", async () => {
    const person = await t.person();
    const { page } = await withPasskey(t, ORIGIN, person);
    await press(page, "Turn on with a passkey");
    await says(page, "Recovery codes");
    await press(page, "I have saved the codes");
    await says(page, /^On since/);
    await press(page, "Turn off");
    await press(page, "Use a passkey");
    await says(page, "With a second factor, a stolen password is not enough to sign in.");
  });

  test("a passkey is renamed and removed; the last way to sign in stays", async () => {
    const person = await t.person();
    const { page } = await withPasskey(t, ORIGIN, person);
    await press(page, "Rename: Passkey 1");
    await fill(page, "Name", "Laptop");
    await press(page, "Save");
    await says(page, "Laptop");
    await t.sql("UPDATE users SET password_hash = NULL WHERE id = $1", [idOf(person)]);
    await press(page, "Remove: Laptop");
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await says(page, /This is your only way to sign in/);
    expect(await passkeysOf(person)).toHaveLength(1);
    await t.sql(
      "UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = $2) WHERE id = $1",
      [idOf(person), idOf(await t.person())],
    );
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await says(page, "You have no passkey yet.");
  });
});

describe.skipIf(withoutBrowser)("the dialog for a proof of identity", () => {
  test("offers the password, repeats the refused request once, and does nothing if it is closed", async () => {
    const person = await t.person();
    const page = await open(t, `${ORIGIN}/profile/security`, { as: person });
    await addAuthenticator(page);
    await makeStale(t, page, idOf(person));
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    await press(page, "Add a passkey");
    await dialog.waitFor();
    await axe(page);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("alert").getByText("Confirm that it is you, then try again.").waitFor();
    expect(await passkeysOf(person)).toEqual([]);

    await press(page, "Add a passkey");
    await dialog.getByLabel("Password", { exact: true }).fill("not the password");
    await page.keyboard.press("Enter");
    await dialog.getByText("The password is wrong.").waitFor();
    await dialog.getByLabel("Password", { exact: true }).fill(person.account.password);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Remove: / }).waitFor();
    expect(await passkeysOf(person)).toHaveLength(1);
  });

  test("offers the passkey first, above another dialog, and works by the keyboard alone", async () => {
    const person = await t.person();
    const { page } = await withPasskey(t, ORIGIN, person);
    await makeStale(t, page, idOf(person));
    await page.getByRole("button", { name: /^Remove: / }).focus();
    await page.keyboard.press("Enter");
    const asking = page.getByRole("dialog", { name: "Remove" });
    await focusWithin(asking);
    await asking.getByRole("button", { name: "Remove" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    await dialog.waitFor();
    await dialog.locator("button:focus", { hasText: "Use a passkey" }).waitFor();
    await page.keyboard.press("Enter");
    await says(page, "You have no passkey yet.");
    expect(await passkeysOf(person)).toEqual([]);
  });
});

describe.skipIf(withoutBrowser)("a change of email", () => {
  test("waits for the links to both addresses, can be canceled, and shows the new one when both were opened", async () => {
    const person = await t.person();
    const page = await open(t, `${ORIGIN}/profile`, { as: person });
    await press(page, "Change the email address");
    await fill(page, "New email address", person.email);
    await press(page, "Change the email address");
    await says(page, "This is your email address already.");
    const email = uniqueEmail();
    await fill(page, "New email address", email);
    await page.keyboard.press("Enter");
    await says(page, `${email} will be your address when the links are opened.`);
    await says(page, `Not yet opened: the link sent to ${person.email}.`);
    await axe(page);
    await press(page, "Cancel the change");
    await page.getByRole("button", { name: "Change the email address" }).waitFor();
    await page.getByText("will be your address").waitFor({ state: "detached" });

    await t.sql(
      "UPDATE email_changes SET created_at = created_at - interval '2 minutes' WHERE user_id = $1",
      [idOf(person)],
    );
    await press(page, "Change the email address");
    await fill(page, "New email address", email);
    await page.keyboard.press("Enter");
    await says(page, `${email} will be your address`);
    for (const [address, outcome] of [
      [person.email, /other address/],
      [email, /changed/],
    ] as const) {
      await page.goto((await t.linkTo(address, "/confirm-email-change")).url);
      await page.getByRole("main").getByRole("button").first().click();
      await page.getByRole("heading", { name: outcome, level: 1 }).waitFor();
    }
    await page.goto(`${ORIGIN}/profile`);
    await says(page, email);
    await says(page, /Your former address can undo the last change until/);
  });
});

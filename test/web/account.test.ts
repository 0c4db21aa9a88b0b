import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expire, invited } from "../support/invitations.ts";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus, uniqueEmail } from "../support/service.ts";
import { inAnotherBrowser } from "../support/sessions.ts";
import { codeOfStep, currentStep, forgetAttempts, fromBase32, withTwoFactor } from "../support/two-factor.ts";
import { expectQuiet, open, sharedConsole, withoutBrowser } from "./support/browser.ts";
import * as keyboard from "./support/keyboard.ts";
import { fill, heading, press, says } from "./support/steps.ts";
import { expectSoon, focused, focusWithin } from "./support/waits.ts";

const t = await sharedConsole();
afterEach(expectQuiet);

/** Returns the path and query of a mailed link. */
const pathOf = ({ url }: { url: string }) => url.replace("http://app.test", "");
const PASSWORD = "wide blue yonder";
const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });

async function signIn(page: Page, email: string, password = PASSWORD) {
  await fill(page, "Email address", email);
  await fill(page, "Password", password);
  await press(page, "Sign in");
}

describe.skipIf(withoutBrowser)("from registration to the first organization", () => {
  test("by keyboard alone: invalid input is shown at its field and kept, the mailed link confirms, and a user without an organization creates one", async () => {
    const email = uniqueEmail();
    const page = await open(t, "/register");
    await focused(field(page, "First name"));
    for (const text of ["<img src=x onerror=alert(1)>", "Hopper", email]) {
      await page.keyboard.type(text);
      await page.keyboard.press("Tab");
    }
    await page.keyboard.type("short");
    await page.keyboard.press("Enter");
    await says(page, "At least 10 characters.");
    expect(await page.getByLabel("Last name").inputValue()).toBe("Hopper");
    await keyboard.type(page, field(page, "Password"), PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "Check your mail");

    await page.goto("/sign-in");
    await signIn(page, email);
    await says(page, "Confirm your email address first. Open the link that we sent you.");
    await press(page, "Send the link again");
    await says(page, /we have sent a new link/);

    await page.goto(pathOf(await t.linkTo(email, "/verify-email")));
    await heading(page, "Confirm your email address");
    // Opening the link does not confirm the address, because mail scanners open links too.
    await page.waitForLoadState("networkidle");
    const [account] = await t.sql<{ email_verified_at: Date | null }>(
      "SELECT email_verified_at FROM users WHERE email = $1",
      [email],
    );
    expect(account?.email_verified_at).toBeNull();
    await keyboard.press(page, keyboard.button(page, "Confirm the address"));
    await says(page, "Your address is confirmed. You can sign in now.");
    // The address is filled in.
    await focused(field(page, "Password"));
    expect(await page.getByLabel("Email address").inputValue()).toBe(email);
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "Welcome, <img src=x onerror=alert(1)>");
    await keyboard.type(page, field(page, "Name of the organization"), "Acme <b>");
    await page.keyboard.press("Enter");
    await says(page, "Acme <b> · Administrator");
  });

  test("an invalid confirmation link offers to send a new one", async () => {
    const person = await t.unverifiedPerson();
    const page = await open(t, "/verify-email?token=unknown");
    await press(page, "Confirm the address");
    await heading(page, "This link no longer works");
    await t.age("email_verification_tokens", {}, { minutes: 2 });
    await fill(page, "Email address", person.email);
    await press(page, "Send the link again");
    await heading(page, "Check your mail");
  });

  test("a mailed reset link sets a new password once", async () => {
    const person = await t.person();
    const page = await open(t, "/forgot-password");
    await fill(page, "Email address", person.email);
    await press(page, "Send the link");
    await heading(page, "Check your mail");
    const link = pathOf(await t.linkTo(person.email, "/reset-password"));
    await page.goto(link);
    await fill(page, "New password", "password123");
    await press(page, "Save the password");
    await says(page, "Must not be a common password.");
    await fill(page, "New password", "another blue yonder");
    await press(page, "Save the password");
    await says(page, "Your new password is saved. Sign in with it.");
    await signIn(page, person.email, "another blue yonder");
    await heading(page, "Welcome, Ada");
    await page.goto(link);
    await fill(page, "New password", "a third blue yonder");
    await press(page, "Save the password");
    await heading(page, "This link no longer works");
  });
});

describe.skipIf(withoutBrowser)("accepting an invitation", () => {
  test("a new account is created and signed in; an existing one signs in first and continues in the organization that it joined", async () => {
    const { admin } = await createOrganization(t, "Umbrella");
    const { token, email } = await invited(t, admin);
    const page = await open(t, `/accept-invitation?token=${token}`);
    await heading(page, "Join Umbrella");
    await says(page, `The invitation is for ${email}.`);
    await fill(page, "First name", "Grace");
    await fill(page, "Last name", "Hopper");
    await fill(page, "Password", PASSWORD);
    await press(page, "Create the account and join");
    await says(page, "Umbrella · Member");

    const { admin: person } = await createOrganization(t, "Elsewhere");
    const second = await invited(t, admin, { email: person.email });
    const other = await open(t, `/accept-invitation?token=${second.token}`);
    await press(other, "Sign in to accept");
    await signIn(other, person.email);
    await press(other, "Accept the invitation");
    await says(other, "Umbrella · Member");
  });

  test("an invitation to another account's address says so, and an invalid invitation says what to do", async () => {
    const { admin } = await createOrganization(t);
    const forOther = await invited(t, admin);
    const page = await open(t, `/accept-invitation?token=${forOther.token}`, { as: await t.person() });
    await says(page, `The invitation is for ${forOther.email}, but you are signed in as`);
    await press(page, "Sign out and continue");
    await says(page, "Create your account to accept it.");
    await expire(t, forOther);
    for (const token of [forOther.token, "unknown", "12345", ""]) {
      await page.goto(`/accept-invitation?token=${token}`);
      await heading(page, "This link no longer works");
    }
  });
});

describe.skipIf(withoutBrowser)("the user's own account", () => {
  test("names and language are saved, and the console switches to the saved language", async () => {
    const page = await open(t, "/profile", { as: await t.person() });
    await fill(page, "First name", " ");
    await press(page, "Save");
    await says(page, "Fill this in.");
    await fill(page, "First name", "Augusta");
    await page.getByLabel("Ελληνικά").check();
    await press(page, "Save");
    await says(page, "Αποθηκεύτηκε.");
    await page.goto("/");
    await heading(page, "Καλώς ήρθατε, Augusta");
  });

  test("changing the password shows a wrong one at its field; other sessions can be ended one by one", async () => {
    const person = await t.person();
    const other = await inAnotherBrowser(person);
    const page = await open(t, "/profile/sessions", { as: person });
    await page.getByText("This device").waitFor();
    const end = page.getByRole("region", { name: "Devices" }).getByRole("button", { name: /^Actions for / });
    await end.click();
    await page.getByRole("menuitem", { name: "End" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End", exact: true }).click();
    await end.waitFor({ state: "detached" });
    expect((await other.refresh()).status).toBe(401);

    await page.getByRole("link", { name: "Security" }).click();
    await fill(page, "Current password", "not the password");
    await fill(page, "New password", "another blue yonder");
    await press(page, "Change the password");
    await says(page, "The password is wrong.");
    await fill(page, "Current password", PASSWORD);
    await press(page, "Change the password");
    await says(page, "Your password was changed.");
  });

  test("by keyboard alone a user ends all other sessions, sets up a second factor with its key, signs in with a recovery code, and turns the second factor off", async () => {
    const person = await t.person();
    const other = await inAnotherBrowser(person);
    const page = await open(t, "/profile/sessions", { as: person });
    await keyboard.press(page, keyboard.button(page, "End all others"));
    const dialog = page.getByRole("dialog");
    await focusWithin(dialog);
    await keyboard.press(page, dialog.getByRole("button", { name: "End all others" }));
    await dialog.waitFor({ state: "hidden" });
    expect((await other.refresh()).status).toBe(401);

    await keyboard.press(page, keyboard.link(page, "Security"));
    await keyboard.press(page, keyboard.button(page, "Set up"));
    await focused(field(page, "Password"));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("img", { name: /^QR code/ }).waitFor();
    const secret = fromBase32((await page.getByLabel("Key", { exact: true }).textContent()) ?? "");
    const code = page.getByLabel(/Enter the code/);
    await keyboard.type(page, code, "000000");
    await page.keyboard.press("Enter");
    await says(page, "The code is wrong or was already used.");
    await keyboard.type(page, code, codeOfStep(secret, currentStep()));
    await page.keyboard.press("Enter");
    await says(page, "Each code works once");
    const listed = page.locator(".recovery-codes li");
    await expectSoon(() => listed.count(), 10);
    const codes = await listed.allTextContents();
    await keyboard.press(page, keyboard.button(page, "I have saved the codes"));
    await says(page, "Unused recovery codes: 10.");

    await keyboard.press(page, keyboard.button(page, "Ada Lovelace"));
    await keyboard.choose(page, "Sign out");
    await heading(page, "Sign in");
    await focused(page.getByLabel("Email address"));
    await page.keyboard.type(person.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "Second factor");
    await keyboard.press(page, keyboard.button(page, "Use a recovery code instead"));
    await keyboard.type(page, page.getByLabel("Recovery code"), codes[0] ?? "");
    await page.keyboard.press("Enter");
    await says(page, "Unused recovery codes: 9.");

    await forgetAttempts(t, person);
    await press(page, "Turn off");
    await fill(page, "Password", PASSWORD);
    await fill(page, "Authenticator code or recovery code", codes[1] ?? "");
    await press(page, "Turn off");
    await says(page, "With a second factor, a stolen password is not enough to sign in.");
  });

  test("a copy of the user's data is downloaded, and the account is deleted after password and code", async () => {
    const { person, code, rewind } = await withTwoFactor(t);
    const page = await open(t, "/profile/data", { as: person });
    const copy = page.getByRole("region", { name: "A copy of your data" });
    await copy.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await copy.getByRole("button", { name: "Download a copy" }).click();
    await copy.getByText("Fill this in.").waitFor();
    await copy.getByLabel("Authenticator code or recovery code").fill(code());
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      copy.getByRole("button", { name: "Download a copy" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^personal-data-.*\.zip$/);

    await rewind();
    const end = page.getByRole("region", { name: "Delete your account" });
    await end.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await end.getByLabel("Authenticator code or recovery code").fill(code());
    await end.getByLabel("I understand that this cannot be undone").check();
    await end.getByRole("button", { name: "Delete my account" }).click();
    await says(page, "Your account is deleted.");
    expect((await person.login()).status).toBe(401);
  });
});

describe.skipIf(withoutBrowser)("the page after third-party sign-in", () => {
  test("every error code of third-party sign-in has a message and a link to continue, also an unknown code", async () => {
    const reasons = [
      ["ACCESS_DENIED", "You did not allow the sign-in at the other service."],
      ["INVALID_STATE", "The sign-in took too long"],
      ["ACCOUNT_EXISTS", "There is an account with your email address."],
      ["SOMETHING_NEW", "The sign-in did not succeed."],
    ] as const;
    const anonymous = await open(t, "/sign-in");
    for (const [code, sentence] of reasons) {
      await anonymous.goto(`/auth/callback?of=${code}#error=${code}`);
      await says(anonymous, sentence);
      await anonymous.waitForURL((url) => url.hash === "");
      await anonymous.getByRole("link", { name: "Go to sign in" }).click();
      await heading(anonymous, "Sign in");
    }
    const page = await open(t, "/auth/callback#error=IDENTITY_IN_USE", { as: await t.person() });
    await says(page, "The account at the other service is already linked to another user here.");
    await page.getByRole("link", { name: "Back" }).click();
    await heading(page, "Security");
  });

  test("a challenge opens the form for the second factor, and an invalid token redirects to the sign-in page", async () => {
    const { person, code } = await withTwoFactor(t);
    const { challengeToken } = expectStatus(
      await t.anonymous().post("/api/auth/login", person.account),
      200,
    ).body;
    const page = await open(t, "/sign-in");
    // The button for sign-in by a provider stores this before it leaves the page.
    await page.evaluate('sessionStorage.setItem("sign-in:", String(Date.now()))');
    await page.goto(`/auth/callback#challenge=${challengeToken}`);
    await fill(page, "Code", code());
    await press(page, "Sign in");
    await heading(page, "Welcome, Ada");
    const broken = await open(t, "/auth/callback#token=none");
    await heading(broken, "Sign in");
  });

  test("a link that contains another user's token does not sign in", async () => {
    const stranger = await t.person();
    const page = await open(t, `/auth/callback#token=${stranger.accessToken}`);
    await heading(page, "Sign in");
    await page.waitForURL((url) => url.hash === "");
    const grace = await t.person();
    expectStatus(await grace.patch("/api/profile", { firstName: "Grace" }), 200);
    const signedIn = await open(t, "/", { as: grace });
    await heading(signedIn, "Welcome, Grace");
    const token = stranger.accessToken;
    for (const fragment of [
      `token=${token}`,
      `&token=${token}`,
      `%74oken=${token}`,
      `token=${token}&token=`,
    ]) {
      await signedIn.goto(`/auth/callback?${crypto.randomUUID()}#${fragment}`);
      await heading(signedIn, "Welcome, Grace");
    }
  });
});

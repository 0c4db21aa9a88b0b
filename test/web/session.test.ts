import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { idOf } from "../support/outcomes.ts";
import { expectStatus } from "../support/service.ts";
import { inAnotherBrowser } from "../support/sessions.ts";
import { expectQuiet, open, openBeside, sharedConsole, withoutBrowser } from "./support/browser.ts";
import { heading } from "./support/steps.ts";
import { expectSoon } from "./support/waits.ts";

const t = await sharedConsole();
afterEach(expectQuiet);

const refreshes = (page: Page) => {
  const statuses: number[] = [];
  page.on("response", (response) => {
    if (response.url().endsWith("/api/auth/refresh")) statuses.push(response.status());
  });
  return statuses;
};
/** Sends the event of a page that the browser had frozen and shows again; the page refreshes its token. */
const thaw = (page: Page) =>
  page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))');

async function signIn(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
}

describe.skipIf(withoutBrowser)("the session in the browser", () => {
  test("without a remembered sign-in, only pages that require one refresh at load; signing in is remembered until signing out", async () => {
    const person = await t.person();
    const page = await open(t, "/");
    const asked = refreshes(page);
    await heading(page, "Sign in");
    await page.goto("/register");
    await heading(page, "Create an account");
    expect(asked).toEqual([]);
    await page.goto("/sign-in");
    await signIn(page, person.account);
    await heading(page, "Welcome, Ada");
    await page.reload();
    await heading(page, "Welcome, Ada");
    await expectSoon(() => asked, [200]);
    expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain("eyJ");

    // The local storage was cleared, but the browser still has the cookie.
    await page.evaluate("localStorage.clear()");
    await page.goto("/todos");
    await heading(page, "Todos");
    await expectSoon(() => asked, [200, 200]);
    await page.getByRole("button", { name: "Ada Lovelace" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await heading(page, "Sign in");
    for (const path of ["/", "/todos"]) {
      await page.goto(path);
      await heading(page, "Sign in");
    }
    await page.waitForLoadState("networkidle");
    expect(asked).toEqual([200, 200]);
  });

  test("two tabs that refresh and reload at the same moment both stay signed in", async () => {
    const person = await t.person();
    const first = await open(t, "/profile", { as: person });
    const second = await openBeside(first, "/profile/sessions");
    const [one, other] = [refreshes(first), refreshes(second)];
    await heading(first, "Profile");
    await heading(second, "Sessions");
    for (let round = 0; round < 3; round += 1) await Promise.all([thaw(first), thaw(second)]);
    await Promise.all([first.reload(), second.reload()]);
    await heading(first, "Profile");
    await second.getByText("This device").waitFor();
    // No refresh was refused. A tab may have sent none, if the other tab announced its new token in time.
    await expectSoon(() => new Set([...one, ...other]), new Set([200]));
    const reused =
      "SELECT FROM audit_events WHERE action = 'REFRESH_TOKEN_REUSED' AND $1 IN (actor_id, target_id)";
    expect(await t.sql(reused, [idOf(person)])).toEqual([]);

    await first.getByRole("button", { name: "Ada Lovelace" }).click();
    await first.getByRole("menuitem", { name: "Sign out" }).click();
    await heading(first, "Sign in");
    await heading(second, "Sign in");
  });

  test("when the password is changed in another browser, this one is signed out at once", async () => {
    const person = await t.person();
    const elsewhere = await inAnotherBrowser(person);
    const page = await open(t, "/todos", { as: person });
    await heading(page, "Todos");
    // The stream is open, so the notification arrives.
    await page.getByRole("button", { name: /^Notifications, \d/ }).waitFor();
    const change = { currentPassword: person.account.password, newPassword: "another blue yonder" };
    expectStatus(await elsewhere.post("/api/profile/password", change), 204);
    await page.getByText("Your session has ended. Sign in again.").waitFor();
  });

  test("the use of a stolen refresh token ends the session; the page says so, and returns after a new sign-in", async () => {
    const person = await t.person();
    const thief = person.at(person.url);
    const page = await open(t, "/profile/security", { as: person });
    await heading(page, "Security");
    // The thief copied the cookie; two reloads have replaced it since.
    await page.reload();
    await heading(page, "Security");
    await page.reload();
    await heading(page, "Security");
    expectStatus(await thief.refresh(), 401);
    await thaw(page);
    await page.getByText("Your session has ended. Sign in again.").waitFor();
    const mails = await t.mailTo(person.email);
    expect(mails.at(-1)?.subject).toMatch(/session|sign/i);
    await signIn(page, person.account);
    await heading(page, "Security");

    // The same message appears if the session ended while no page was open.
    await page.context().clearCookies();
    await page.reload();
    await page.getByText("Your session has ended. Sign in again.").waitFor();
  });
});

import { afterEach, describe, expect, test } from "bun:test";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { expectSoon } from "./support/waits.ts";

const t = await startConsole();
afterEach(expectQuiet);

describe.skipIf(withoutBrowser)("signing in and out", () => {
  test("a wrong password shows an error and keeps the email address; the right one opens the requested page; signing out ends the session", async () => {
    const person = await t.person();
    const page = await open(t, "/todos?sort=title");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await expectSoon(() => page.title(), "Sign in · Console");
    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("The email address or the password is wrong.").waitFor();
    expect(await page.getByLabel("Email address").inputValue()).toBe(person.email);

    await page.getByLabel("Password", { exact: true }).fill(person.account.password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Todos", level: 1 }).waitFor();
    await page.waitForURL((url) => url.search === "?sort=title");
    await page.reload();
    await page.getByRole("heading", { name: "Todos", level: 1 }).waitFor();

    await page.getByRole("button", { name: "Ada Lovelace" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto("/");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});

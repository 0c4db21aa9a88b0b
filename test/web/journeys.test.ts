import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { storeEvent } from "../support/audit.ts";
import { report } from "../support/helpdesk.ts";
import { createOrganization, userIdOf } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { expectQuiet, open, sharedConsole, tolerate, withoutBrowser } from "./support/browser.ts";
import { button, choose, press, tabTo } from "./support/keyboard.ts";
import { settled, visit } from "./support/pages.ts";
import { expectSoon, focused, hold } from "./support/waits.ts";

const t = await sharedConsole();
afterEach(expectQuiet);

/** Holds every request for a script of the console until `release()` is called. */
const holdScripts = (page: Page) => hold(page, "GET", "**/assets/*.js");

describe.skipIf(withoutBrowser)("journeys", () => {
  test("what is typed into a chooser of units replaces the chosen unit", async () => {
    const org = await createOrganization(t);
    const greece = await org.unit("Greece");
    const member = await org.member({ role: "MEMBER" });
    const page = await open(t, `/members/${await userIdOf(t, member)}`, { as: org.admin });
    await page.getByRole("button", { name: "Add a role" }).click();
    const where = page.getByRole("combobox", { name: "Where" }).last();
    await where.click();
    await focused(where);
    await page.keyboard.type("gree");
    await page.getByRole("option", { name: "Greece" }).click();
    await expectSoon(() => where.inputValue(), "Greece");
    expect(greece).not.toBe("");
  });

  test("without a network a page whose code is missing shows an error in the document that is there", async () => {
    tolerate(/net::ERR_INTERNET_DISCONNECTED/);
    tolerate(/Failed to fetch dynamically imported module/);
    tolerate(/Connecting to 'blob:|error boundary/);
    const org = await createOrganization(t);
    const page = await open(t, "/profile", { as: org.admin });
    await settled(page);
    // With a route the browser uses no cache, which may have the code from an earlier test.
    await page.route("**/assets/*.js", (route) => route.continue());
    await page.evaluate("globalThis.isSameDocument = true");
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Roles" }).click();
    await page.getByRole("heading", { name: "This page could not be shown" }).waitFor();
    expect(await page.evaluate("globalThis.isSameDocument")).toBe(true);
    await page.getByText("You are offline. The page may be out of date.").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("link", { name: "Units" }).click();
    await page.getByRole("heading", { name: "Units", exact: true }).waitFor();
    expect(await page.evaluate("globalThis.isSameDocument")).toBe(true);
  });

  test("a click on a slow network shows a line and a placeholder before the page arrives", async () => {
    const org = await createOrganization(t);
    const page = await open(t, "/profile", { as: org.admin });
    await settled(page);
    const scripts = await holdScripts(page);
    await page.getByRole("link", { name: "Roles" }).focus();
    await page.getByRole("link", { name: "Roles" }).click();
    await page.locator(".route-progress[data-active]").waitFor({ state: "attached" });
    await page.locator('.shell-main [role="status"][aria-label="Loading"]').first().waitFor();
    scripts.release();
    await page.getByRole("heading", { name: "Roles", level: 1 }).waitFor();
  });

  test("the card of sign-in stays, with its button busy, until the next page is there", async () => {
    const org = await createOrganization(t);
    const page = await open(t, "/sign-in");
    await page.getByLabel("Email address").fill(org.admin.account.email);
    const [scripts, session] = [await holdScripts(page), await hold(page, "POST", "**/api/auth/login")];
    await page.getByLabel("Password").first().fill(org.admin.account.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("button[type=submit][data-loading]").waitFor();
    session.release();
    await page.waitForResponse("**/api/auth/login");
    await page.waitForFunction(
      "!document.querySelector('.centered main') || document.querySelector('.centered input, .centered .mantine-Loader-root')",
    );
    scripts.release();
    await page.getByRole("heading", { name: "Welcome, Ada" }).waitFor();
  });

  test("by keyboard alone the audit log filters by days in its histogram, finds the events about a person, and exports them", async () => {
    const org = await createOrganization(t);
    const member = await org.member({ role: "MEMBER" });
    const targetId = await userIdOf(t, member);
    const about = { organizationId: org.id, actorId: await userIdOf(t, org.admin) };
    for (let days = 0; days < 20; days += 1)
      await storeEvent(t, {
        ...about,
        action: "UNIT_CREATED",
        time: new Date(Date.now() - days * 86_400_000).toISOString(),
      });
    await storeEvent(t, { ...about, action: "MEMBER_UNITS_CHANGED", targetType: "user", targetId });
    const page = await open(t, "/audit", { as: org.admin });
    await settled(page);
    const chart = page.getByRole("group", { name: /^Events over time/ });
    await chart.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.getByText(/: 1 events$/).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/from=.*to=/);
    await page.getByRole("button", { name: "Clear all" }).click();
    await tabTo(page, page.getByRole("combobox", { name: "About" }));
    await page.keyboard.type(member.email);
    await page.getByRole("option", { name: new RegExp(member.email) }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`targetId=${targetId}`));
    const log = page.getByRole("region", { name: "Audit log" });
    // The former rows stay until the filtered ones have arrived.
    await log.getByText("created the unit").first().waitFor({ state: "detached" });
    await log.getByText("changed the units of").waitFor();
    const download = page.waitForEvent("download");
    await press(page, button(page, "Export"));
    await choose(page, "Export as CSV");
    const csv = await Bun.file(await (await download).path()).text();
    expect(csv.match(/"MEMBER_UNITS_CHANGED"/g)).toHaveLength(1);
    expect(csv).not.toContain("UNIT_CREATED");
  });

  test("on a phone rows are cards, which show a long title as a whole and lose no column", async () => {
    const org = await createOrganization(t);
    const title = "long ".repeat(40).trim();
    expectStatus(await org.admin.post("/api/todos", { title }), 201);
    const page = await open(t, "/", { as: org.admin, width: 375 });
    await settled(page);
    for (const path of ["/todos", "/members", "/roles"]) {
      await visit(page, path);
      const wide = await page.evaluate("document.documentElement.scrollWidth");
      expect([path, Number(wide) <= 375]).toEqual([path, true]);
      if (path === "/todos") {
        const box = await page.getByRole("row").filter({ hasText: "long" }).boundingBox();
        expect(box?.height ?? 1_000).toBeLessThan(260);
        await page.getByRole("button", { name: /^Actions for / }).waitFor();
      }
    }
  });

  test("the palette finds members and tickets; a page with unsaved changes asks before it is left", async () => {
    const org = await createOrganization(t);
    const member = await org.member({ role: "MEMBER" });
    await report(member, { subject: "A subject of its own" });
    const page = await open(t, "/settings", { as: org.admin });
    await settled(page);
    await page.keyboard.press("Control+k");
    await focused(page.getByRole("combobox", { name: /^Page, person/ }));
    await page.keyboard.type("subject of");
    await page.getByRole("option", { name: /A subject of its own/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Renamed");
    const questions: string[] = [];
    page.once("dialog", (dialog) => {
      questions.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole("link", { name: "Roles" }).click();
    await page.waitForFunction("true");
    expect(questions).toEqual(["You have unsaved changes. Leave the page without saving?"]);
    expect(await page.getByRole("textbox", { name: "Name", exact: true }).inputValue()).toBe("Renamed");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved").waitFor();
    await page.getByRole("link", { name: "Roles" }).click();
    await page.getByRole("heading", { name: "Roles", exact: true }).waitFor();
  });
});

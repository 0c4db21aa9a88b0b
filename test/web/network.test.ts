import { afterEach, describe, expect, test } from "bun:test";
import { createOrganization } from "../support/organizations.ts";
import { expectQuiet, open, sharedConsole, tolerate, withoutBrowser } from "./support/browser.ts";
import { expectSoon, hold } from "./support/waits.ts";

const t = await sharedConsole();
afterEach(expectQuiet);

/** A form of the console: the page and button that open it, the fields to fill, and the request that it sends. */
type Case = { at: string; opens?: string; fields: Record<string, string>; submit: string; sent: string };

describe.skipIf(withoutBrowser)("a slow network", () => {
  test("a list shows a placeholder until it is loaded; a form and a confirmed action are sent once despite repeated clicks", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/profile", { as: admin });
    const list = await hold(page, "GET", "**/api/todos?*");
    await page.getByRole("link", { name: "Todos" }).click();
    await page.getByRole("heading", { name: "Todos", level: 1 }).waitFor();
    await page.getByRole("status", { name: "Loading" }).first().waitFor();
    list.release();
    await page.getByText("You have no todos.").waitFor();

    const save = await hold(page, "POST", "**/api/todos");
    await page.getByLabel("Title").fill("Once");
    const add = page.getByRole("button", { name: "Add" });
    await add.dblclick();
    await add.and(page.locator("[data-loading], [disabled]")).waitFor();
    await page.getByLabel("Title").press("Enter");
    save.release();
    await page.getByRole("cell", { name: "Once", exact: true }).waitFor();

    const deletion = await hold(page, "DELETE", "**/api/todos/*");
    await page.getByRole("button", { name: "Actions for “Once”" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete" });
    await confirm.dblclick();
    deletion.release();
    await page.getByText("You have no todos.").waitFor();
    expect([save.count(), deletion.count()]).toEqual([1, 1]);
  });

  test("text that is typed while a form is being sent stays in its field", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/todos", { as: admin });
    await page.getByText("You have no todos.").waitFor();
    const save = await hold(page, "POST", "**/api/todos");
    const title = page.getByLabel("Title");
    await title.fill("First");
    await title.press("Enter");
    await expectSoon(save.count, 1);
    await title.fill("Second");
    save.release();
    await page.getByRole("cell", { name: "First", exact: true }).waitFor();
    await page.locator("button[data-loading]").waitFor({ state: "detached" });
    expect(await title.inputValue()).toBe("Second");
    await title.press("Enter");
    await page.getByRole("cell", { name: "Second", exact: true }).waitFor();
    await expectSoon(() => title.inputValue(), "");
  });
});

describe.skipIf(withoutBrowser)("a failing network", () => {
  test("content that cannot be loaded shows an error and a button to retry", async () => {
    tolerate(/status of 500/);
    const { admin } = await createOrganization(t);
    const page = await open(t, "/profile", { as: admin });
    await page.getByRole("textbox", { name: "First name" }).waitFor();
    const error = {
      statusCode: 500,
      code: "INTERNAL_ERROR",
      message: "Internal error",
      requestId: "of-a-test",
    };
    const lists = [
      ["Members", "/api/members?", admin.email],
      ["Units", "/api/units", "no units"],
      ["Roles", "/api/roles?", "Unit administrator"],
    ] as const;
    await page.route("**/api/{members,units,roles}{?*,}", (route) =>
      route.fulfill({ status: 500, json: error }),
    );
    for (const [name] of lists) {
      await page.getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { name, level: 1 }).waitFor();
      await page
        .getByRole("alert")
        .getByText("Something went wrong on our side. Try again later.")
        .first()
        .waitFor();
      await page.getByText("of-a-test").first().waitFor();
      await page.getByRole("button", { name: "Try again" }).first().waitFor();
    }
    await page.unrouteAll();
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.getByText("Unit administrator").first().waitFor();
    await page.getByRole("alert").first().waitFor({ state: "detached" });
  });

  test("a form that could not be sent keeps the entered values, and sends them at the next attempt", async () => {
    tolerate(/net::ERR_FAILED/);
    const { admin } = await createOrganization(t);
    const page = await open(t, "/", { as: admin });
    const cases: Case[] = [
      { at: "/profile", fields: { "First name": "Augusta" }, submit: "Save", sent: "/api/profile" },
      {
        at: "/settings",
        fields: { Name: "Gamma", "Short name": "gamma" },
        submit: "Save",
        sent: "/api/organization",
      },
      { at: "/roles/new", fields: { Name: "Gardener" }, submit: "Save", sent: "/api/roles" },
      { at: "/units", opens: "New unit", fields: { Name: "North" }, submit: "New unit", sent: "/api/units" },
      {
        at: "/invitations/new",
        fields: { "Email addresses": "g@x.test" },
        submit: "Send invitations",
        sent: "/api/members/invitations",
      },
      {
        at: "/new-organization",
        fields: { "Name of the organization": "Beta" },
        submit: "Create organization",
        sent: "/api/auth/organizations",
      },
      {
        at: "/support/tickets/new",
        fields: { Subject: "A subject", Message: "A text" },
        submit: "Send",
        sent: "/api/support/tickets",
      },
    ];
    for (const { at, opens, fields, submit, sent } of cases) {
      await page.goto(at);
      if (opens !== undefined) await page.getByRole("button", { name: opens }).first().click();
      const place = opens === undefined ? page.locator("main") : page.getByRole("dialog");
      const field = (label: string) => place.getByRole("textbox", { name: label, exact: true });
      for (const [label, text] of Object.entries(fields)) await field(label).fill(text);
      const path = `**${sent}`;
      await page.route(path, (route) =>
        route.request().method() === "GET" ? route.continue() : route.abort(),
      );
      const button = place.getByRole("button", { name: submit, exact: true });
      await button.click();
      await place.getByText("The service cannot be reached.").first().waitFor();
      for (const [label, text] of Object.entries(fields))
        expect([at, await field(label).inputValue()]).toEqual([at, text]);
      await page.unroute(path);
      const [response] = await Promise.all([
        page.waitForResponse(
          (response) => response.url().endsWith(sent) && response.request().method() !== "GET",
        ),
        button.click(),
      ]);
      expect([at, response.ok()]).toEqual([at, true]);
    }
  });
});

import { afterEach, describe, expect, test } from "bun:test";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, sharedConsole, tolerate, withoutBrowser } from "./support/browser.ts";
import { settled } from "./support/pages.ts";
import { heading, says } from "./support/steps.ts";
import { expectSoon, focused, hold, searchIs } from "./support/waits.ts";

const t = await sharedConsole();
afterEach(expectQuiet);

describe.skipIf(withoutBrowser)("the shell", () => {
  test("organizations are searched and switched by keyboard, suspended ones are marked and cannot be chosen", async () => {
    const { admin, id } = await createOrganization(t, "Zeta <i>");
    for (const name of ["Αλφα", "Beta", "Gamma", "Delta"])
      expectStatus(await admin.post("/api/auth/organizations", { name }), 201);
    const suspended = await createOrganization(t, "Asleep");
    await suspended.add(admin, { role: "MEMBER" });
    await t.sql("UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1", [suspended.id]);
    const page = await open(t, "/todos", { as: admin });
    await page.getByRole("button", { name: "Organization: Zeta <i>" }).press("Enter");
    const option = page.getByRole("option", { name: /Asleep.*Suspended/ });
    await option.waitFor();
    expect(await option.getAttribute("data-combobox-disabled")).toBe("true");
    await focused(page.getByRole("textbox", { name: "Find an organization" }));
    await page.keyboard.type("άλφα");
    await page.getByRole("option", { name: "Beta" }).waitFor({ state: "detached" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await says(page, "Αλφα · Administrator");
    expect(id).not.toBe("");
  });

  test("the search field of the organization menu has the focus as soon as the list arrives, although the menu was opened before", async () => {
    const { admin } = await createOrganization(t, "Zeta");
    for (const name of ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"])
      await (await createOrganization(t, name)).add(admin, { role: "MEMBER" });
    const page = await open(t, "/sign-in");
    const list = await hold(page, "GET", "**/api/auth/organizations");
    await page.getByLabel("Email address").fill(admin.email);
    await page.getByLabel("Password", { exact: true }).fill(admin.account.password);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Organization: / }).press("Enter");
    await page.getByRole("option", { name: "New organization" }).waitFor();
    await expectSoon(() => list.count() > 0, true);
    list.release();
    await focused(page.getByRole("textbox", { name: "Find an organization" }));
    await page.keyboard.type("epsi");
    await page.getByRole("option", { name: "Beta" }).waitFor({ state: "detached" });
    await page.getByRole("option", { name: "Epsilon" }).waitFor();
  });

  test("a notification arrives live, shows the text of its type, and can be read, opened and dismissed", async () => {
    const person = await t.person();
    const page = await open(t, "/", { as: person });
    const bell = page.getByRole("button", { name: /^Notifications/ });
    await page.getByRole("button", { name: "Notifications, 1 unread" }).waitFor();
    expectStatus(await person.post("/api/notifications/test"), 201);
    await page.getByRole("status").getByText("This is a test notification.").waitFor();
    await page.getByRole("button", { name: "Notifications, 2 unread" }).click();
    await page.getByRole("button", { name: "Mark all as read" }).click();
    await page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
    await page.getByRole("dialog").getByRole("link", { name: "All notifications" }).click();
    await heading(page, "Notifications");
    await page.getByRole("button", { name: "Dismiss" }).first().click();
    await page.getByRole("button", { name: "Dismiss" }).nth(1).waitFor({ state: "detached" });
    // Not `check()`: the choice is shown when the address has it, which may be later than `check()` looks.
    await page.getByLabel("Unread only").click();
    await says(page, "You have read everything.");
    await bell.waitFor();
  });

  test("every notification type has its own text; an unknown type of a later version has a general text", async () => {
    const person = await t.person();
    const ticket = { ticketId: crypto.randomUUID(), number: 12, subject: "<img src=x onerror=alert(1)>" };
    const role = { roleId: crypto.randomUUID(), roleName: "ORG_ADMIN", unitId: null, unitName: null };
    const rows: [type: string, data: object, text: string][] = [
      ["PASSWORD_CHANGED", { via: "reset" }, "Your password was reset by email link."],
      [
        "TWO_FACTOR_DISABLED",
        { via: "admin" },
        "An administrator turned off your two-factor authentication.",
      ],
      ["TWO_FACTOR_RECOVERY_CODE_USED", { remaining: 9 }, "Unused codes left: 9."],
      ["SIGN_IN_METHOD_ADDED", { provider: "google" }, "Sign-in with google was added"],
      ["SIGN_IN_METHOD_ADDED", { provider: "passkey" }, "Sign-in with a passkey was added"],
      ["SIGN_IN_METHOD_REMOVED", { provider: "password" }, "Sign-in with a password was removed"],
      ["INVITATION_ACCEPTED", { email: "g@x.test" }, "g@x.test has accepted your invitation."],
      ["HELPDESK_STAFF_REPLIED", ticket, "New reply to your ticket #12: <img src=x onerror=alert(1)>"],
      ["HELPDESK_STATUS_CHANGED", { ...ticket, status: "RESOLVED" }, "Your ticket #12 is resolved"],
      ["ROLES_CHANGED", { added: [role], removed: [] }, "Your roles changed. New: Administrator."],
      ["ROLES_CHANGED", {}, "Your roles changed."],
    ];
    for (const [type, data] of rows)
      await t.sql(
        "INSERT INTO notifications (user_id, type, data) SELECT id, $2, $3::text::jsonb FROM users WHERE email = $1",
        [person.email, type, JSON.stringify(data)],
      );
    const page = await open(t, "/sign-in");
    // Simulates a later version of the service, with a type that this console does not know.
    await page.route("**/api/notifications?*", async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replace('"WELCOME"', '"OF_TOMORROW"');
      await route.fulfill({ response: response, body: text });
    });
    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.account.password);
    await page.keyboard.press("Enter");
    await heading(page, "Welcome, Ada");
    await page.goto("/notifications");
    for (const [, , text] of rows) await says(page, text);
    await says(page, "You have a new notification.");
  });

  test("the command palette finds pages, organizations and actions with the keyboard only", async () => {
    const { admin } = await createOrganization(t, "First");
    expectStatus(await admin.post("/api/auth/organizations", { name: "Second" }), 201);
    const page = await open(t, "/", { as: admin });
    await heading(page, "Welcome, Ada");
    await page.keyboard.press("Control+k");
    await focused(page.getByRole("combobox"));
    await axe(page);
    await page.keyboard.type("secon");
    await page.getByRole("option", { name: /Second/ }).waitFor();
    await page.keyboard.press("Enter");
    await says(page, "Second · Administrator");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await focused(page.getByRole("combobox"));
    // Pages that are tabs or links of another one, and so not in the menu, are found too.
    for (const name of ["Invitations", "Events", "Connected apps", "Your connected apps"]) {
      await page.getByRole("combobox").fill(name);
      await page.getByRole("option", { name: new RegExp(`^${name}`) }).waitFor();
    }
    await page.getByRole("combobox").fill("sign out");
    await page.getByRole("option", { name: "Connected apps" }).waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await heading(page, "Sign in");
  });

  test("Enter in the command palette never opens a result of a text that was typed before", async () => {
    const org = await createOrganization(t);
    const [greece, norway] = [await org.unit("Greece"), await org.unit("Norway")];
    const page = await open(t, "/", { as: org.admin });
    await heading(page, "Welcome, Ada");
    await page.keyboard.press("Control+k");
    const field = page.getByRole("dialog").getByRole("combobox");
    await field.fill("Greece");
    await page.getByRole("option", { name: "Greece" }).waitFor();
    const search = await hold(page, "GET", "**/api/units?search=Norway");
    await field.fill("Norway");
    await page.keyboard.press("Enter");
    await page.getByRole("status").filter({ hasText: "Searching…" }).waitFor();
    expect(page.url()).not.toContain(greece);
    search.release();
    await page.getByRole("option", { name: "Norway" }).waitFor();
    await page.keyboard.press("Enter");
    await searchIs(page, "unit", norway);
  });

  test("letters that are typed before the palette is loaded are in its field; after Escape the focus is where it was", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/", { as: admin });
    await settled(page);
    const opener = page.getByRole("button", { name: "Find anything" });
    // Before the focus, which may load the palette in advance.
    const scripts = await hold(page, "GET", "**/assets/*.js");
    await opener.focus();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("rolx");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("es");
    expect(await page.getByRole("combobox").count()).toBe(0);
    scripts.release();
    await focused(page.getByRole("combobox"));
    await expectSoon(() => page.getByRole("combobox").inputValue(), "roles");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await focused(opener);
    // The letters of a second opening go to the field as well, before it has the focus.
    await page.keyboard.press("Control+k");
    await page.keyboard.type("new role");
    await page.getByRole("option", { name: "New role" }).waitFor();
    await page.keyboard.press("Enter");
    await heading(page, "New role");
  });

  test("a banner is shown while the connection is lost, and entered text is kept", async () => {
    // The texts of errors are loaded in advance.
    const page = await open(t, "/profile", { as: await t.person(), saveData: false });
    await page.getByRole("button", { name: /^Notifications, 1/ }).waitFor();
    const stream = "**/api/notifications/stream";
    await page.route(stream, (route) => route.fulfill({ status: 429, body: "" }));
    await page.reload();
    await says(page, "Connection lost.");
    await page.unroute(stream);
    await page.getByText("Connection lost.").waitFor({ state: "detached" });

    await page.getByLabel("First name").fill("Augusta");
    tolerate(/net::ERR_INTERNET_DISCONNECTED/);
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Save" }).click();
    await says(page, "The service cannot be reached. Check your connection and try again.");
    expect(await page.getByLabel("First name").inputValue()).toBe("Augusta");
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Save" }).click();
    await says(page, "Saved.");
  });
});

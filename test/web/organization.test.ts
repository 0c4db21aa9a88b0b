import { afterEach, describe, expect, test } from "bun:test";
import { createOrganization, userIdOf } from "../support/organizations.ts";
import { ServiceWithPayments, startProvider, WEBHOOK } from "../support/payments.ts";
import { PAYMENT, storeSubscription } from "../support/plans.ts";
import { expectStatus, type Service, uniqueEmail } from "../support/service.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { button, press, tabTo, type } from "./support/keyboard.ts";
import { heading } from "./support/steps.ts";
import { expectSoon, focused, focusWithin, searchIs } from "./support/waits.ts";

const { payments, proxy } = startProvider(() => t.url + WEBHOOK);
// The service's default plans: a new organization is on trial.
const t: Service = await startConsole({
  BILLING_PLANS_FILE: "",
  ...PAYMENT,
  PAYMENT_API_URL: proxy.url,
});
// Chromium has no decimals for these currencies, but ISO 4217 has.
payments.prices.set("price_pro_month", { currency: "huf", unit_amount: 490_000 });
payments.prices.set("price_enterprise", { currency: "mga", unit_amount: 9_000 });
afterEach(expectQuiet);

const HOSTILE = "<img src=x onerror=alert(1)>";

describe.skipIf(withoutBrowser)("the pages of an organization", () => {
  test("several addresses are invited at once; each shows its result, and failed addresses stay in the field", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/invitations", { as: admin });
    await page.getByRole("link", { name: "Invite people" }).click();
    await page
      .getByLabel("Email addresses")
      .fill(`Grace <grace@example.com>, ${admin.email}\nwrong@\tgrace@example.com`);
    await page.getByText("Addresses found: 3").waitFor();
    await page.getByRole("button", { name: "Send invitations" }).click();
    const results = page.getByRole("region", { name: "Results" }).getByRole("listitem");
    await expectSoon(
      () => results.allInnerTexts(),
      [
        expect.stringMatching(/^grace@example.com\s+Invited$/i),
        expect.stringMatching(/already a member/),
        expect.stringMatching(/^wrong@\s+Enter an email address\.$/),
      ],
    );
    await page.getByText("Addresses that could not be invited are still in the field above.").waitFor();
    await expectSoon(() => page.getByLabel("Email addresses").inputValue(), `${admin.email}\nwrong@`);

    await page.getByRole("link", { name: "Invitations", exact: true }).first().click();
    const tabs = page.getByRole("navigation", { name: "Members" });
    await tabs.getByRole("link", { name: "Invited 1" }).waitFor();
    await page.getByRole("button", { name: "Actions for grace@example.com" }).click();
    await page.getByRole("menuitem", { name: "Send again" }).click();
    await page.getByText("This was sent a moment ago.").waitFor();
    await page.getByRole("button", { name: "Actions for grace@example.com" }).click();
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("There are no pending invitations.").waitFor();
    await tabs.getByRole("link", { name: "Invited 0" }).waitFor();
  });

  test("a member's activity shows events by and about the member; the menu of the row removes the member", async () => {
    const organization = await createOrganization(t);
    const bob = await organization.member({ role: "ORG_ADMIN" });
    const path = `/api/members/${await userIdOf(t, bob)}`;
    expectStatus(await bob.post("/api/units", { name: "By Bob", parentId: null }), 201);
    const unitIds = [await organization.unit("North")];
    expectStatus(await organization.admin.patch(`${path}/units`, { unitIds }), 200);
    const page = await open(t, path.replace("/api", ""), { as: organization.admin });
    await page.getByRole("link", { name: "Activity", exact: true }).click();
    const row = (text: string) =>
      page.getByRole("region", { name: "Activity" }).getByRole("listitem").filter({ hasText: text });
    await row("By Bob").waitFor();
    expect(await row("North").count()).toBe(0);
    await page.getByText("About this member").click();
    await row("North").waitFor();
    expect(await row("By Bob").count()).toBe(0);
    await page.reload();
    await row("North").waitFor();

    await page.getByRole("link", { name: "All members" }).click();
    await page.getByRole("row").filter({ hasText: bob.email }).getByRole("button").click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("row").filter({ hasText: bob.email }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Members 1", exact: true }).waitFor();
  });

  test("a member is found by unit and gets another role there; the access page shows which role grants a permission", async () => {
    const organization = await createOrganization(t);
    const north = await organization.unit("North");
    const athens = await organization.unit("Athens", north);
    await organization.unit("South");
    await organization.role("Gardener", "Units.Update");
    const bob = await organization.member({ role: "MEMBER", unit: north });
    await organization.member();
    const page = await open(t, "/members", { as: organization.admin });
    await page.getByRole("combobox", { name: "Unit" }).fill("Nor");
    await page.getByRole("option", { name: "North" }).first().click();
    // The table has two rows: the member in North, and the header.
    await searchIs(page, "unit", north);
    await expectSoon(() => page.getByRole("row").count(), 2);
    await page.getByRole("cell", { name: "Ada Lovelace" }).getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "Ada Lovelace" }).waitFor();

    await page.getByRole("button", { name: "Add a role" }).click();
    const roles = page.getByRole("region", { name: "Roles" });
    await roles.getByRole("button", { name: "Save" }).click();
    await roles.getByText("Choose one.").waitFor();
    await roles.getByRole("combobox", { name: "Role" }).nth(1).click();
    await page.getByRole("option", { name: "Gardener" }).click();
    await roles.getByRole("combobox", { name: "Where" }).nth(1).fill("Nor");
    await page.getByRole("option", { name: "North", exact: true }).click();
    await roles.getByRole("button", { name: "Save" }).click();
    await roles.getByText("Saved").waitFor();
    const { body } = await organization.admin.get(`/api/members/${await userIdOf(t, bob)}`);
    expect(body.assignments.map(({ role }: { role: { name: string } }) => role.name).sort()).toEqual([
      "Gardener",
      "MEMBER",
    ]);

    await page.getByRole("link", { name: "Access", exact: true }).click();
    await page.getByRole("combobox", { name: "Permission" }).fill("Rename");
    await page.getByRole("option", { name: "Rename and move units" }).click();
    await page.getByText("No, Ada Lovelace does not have this permission.").waitFor();
    await page.getByText("The permission is granted elsewhere: North, and units below it: 1.").waitFor();
    await page.getByRole("combobox", { name: "Unit" }).fill("Athens");
    await page.getByRole("option", { name: "Athens" }).click();
    await page
      .getByText("The role “Gardener” grants this permission in “North” and in all units below it.")
      .waitFor();
    await searchIs(page, "unit", athens);
  });

  test("the members of all pages that match the filters are exported, without formulas", async () => {
    const organization = await createOrganization(t);
    const north = await organization.unit("=North()");
    const inside = [];
    for (let count = 0; count < 2; count += 1)
      inside.push(await organization.member({ role: "MEMBER", unit: north }));
    await organization.member();
    const page = await open(t, `/members?unit=${north}`, { as: organization.admin });
    await page.getByRole("row").nth(2).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export" }).click(),
    ]);
    const lines = (await Bun.file(await file.path()).text()).trim().split("\r\n");
    expect(lines).toHaveLength(3);
    for (const { email } of inside) expect(lines.filter((line) => line.includes(email))).toHaveLength(1);
    expect(lines[1]).toContain(`"'=North()"`);
  });

  test("units are created, and moved by keyboard and by dragging; a refused move says why", async () => {
    const organization = await createOrganization(t);
    const north = await organization.unit("North");
    await organization.unit("Athens", north);
    await organization.unit(HOSTILE);
    const page = await open(t, "/units", { as: organization.admin });
    const line = (name: string) => page.getByRole("treeitem", { name, exact: true });
    await line("Athens").waitFor();
    await page.getByRole("tree").focus();
    // Sibling units are sorted by name.
    await page.keyboard.press("End");
    await page.getByRole("treeitem", { name: "Athens", exact: true, selected: true }).waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("heading", { level: 2, name: "North" }).waitFor();

    await page.keyboard.press("m");
    const dialog = page.getByRole("dialog");
    await focusWithin(dialog);
    await dialog.getByRole("combobox", { name: "Below" }).fill("Athens");
    // A unit's own sub-units are not offered as its new parent.
    await page.getByText("Nothing found").waitFor();
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "hidden" });
    await line("North").dragTo(line("Athens"));
    await page.getByText("A unit cannot be moved below itself, or below one of its own units.").waitFor();

    await page.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText("The unit still has sub-units").waitFor();
    await dialog.getByRole("button", { name: "Delete", disabled: true }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });

    await page.getByRole("button", { name: "New unit below" }).click();
    await dialog.getByLabel("Name").fill("Patras");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "Patras" }).waitFor();
    await line("Patras").dragTo(line(HOSTILE));
    await page.getByText(`“Patras” is now below “${HOSTILE}”.`).waitFor();
    await expectSoon(() => line("Patras").getAttribute("aria-level"), "2");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("“Patras” is now below “North”.").waitFor();
  });

  test("the organization chart is walked by arrow keys, and shows the people of a unit", async () => {
    const organization = await createOrganization(t);
    const north = await organization.unit("North");
    const athens = await organization.unit("Athens", north);
    const bob = await organization.member({ role: "MEMBER", unit: athens });
    const page = await open(t, "/units", { as: organization.admin });
    await page.getByRole("link", { name: "Organization chart" }).click();
    const tree = page.getByRole("tree", { name: "Organization chart" });
    await tree.getByRole("treeitem").first().waitFor();
    await tree.focus();
    await page.keyboard.press("Home");
    await tree.getByRole("treeitem", { name: /^North/, selected: true }).waitFor();
    await page.keyboard.press("ArrowRight");
    await tree.getByRole("treeitem", { name: /^Athens ?Members in this unit: 1$/, selected: true }).waitFor();
    await page.getByRole("link", { name: "Members here and below: 1" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 2, name: "Athens" }).waitFor();
    await tree.focus();
    await page.keyboard.press("ArrowLeft");
    await tree.getByRole("treeitem", { name: /^North/, selected: true }).waitFor();
    await page.keyboard.press("ArrowLeft");
    await tree.getByRole("treeitem", { name: /^North/, expanded: false, selected: true }).waitFor();
    await expectSoon(() => tree.getByRole("treeitem").count(), 1);
    await page.getByRole("link", { name: "Members here and below: 1" }).click();
    await page.getByRole("cell", { name: bob.email }).waitFor();
  });

  test("with thousands of units, only the visible tree rows are rendered", async () => {
    const organization = await createOrganization(t);
    await t.sql(
      `INSERT INTO units (organization_id, name) SELECT $1, 'Unit ' || to_char(n, 'FM0000')
       FROM generate_series(1, 5000) n`,
      [organization.id],
    );
    const page = await open(t, "/units", { as: organization.admin });
    await page.getByRole("treeitem", { name: "Unit 0001" }).waitFor();
    expect(await page.getByRole("treeitem").count()).toBeLessThan(100);
    await page.getByRole("tree").focus();
    await page.keyboard.press("End");
    await page.getByRole("treeitem", { name: "Unit 5000", selected: true }).waitFor();
    await page.getByLabel("Search").fill("4321");
    await page.getByRole("treeitem").nth(1).waitFor({ state: "detached" });
    await page.getByRole("treeitem", { name: "Unit 4321" }).waitFor();
  });

  test("a role is created from the matrix of permissions, and the audit log describes it", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/roles", { as: admin });
    await page.getByRole("link", { name: "New role" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Fill this in.").waitFor();
    await page.getByRole("textbox", { name: "Name" }).fill(HOSTILE);
    await page.getByLabel("Invite people").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: HOSTILE }).first().click();
    await page.getByRole("checkbox", { name: "Invite people", checked: true }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { level: 1, name: "Roles" }).waitFor();

    await page.goto("/audit?action=ROLE_CREATED");
    const log = page.getByRole("region", { name: "Audit log" });
    await log.getByText(`created the role ${HOSTILE}`).waitFor();
    expect(await log.getByText("deleted the role").count()).toBe(0);
    await log.getByRole("button", { name: /^Details: Created a role/ }).click();
    await page.getByRole("dialog").getByText("Invite people").waitFor();
  });

  test("a role that is renamed keeps the permissions that it was given meanwhile", async () => {
    const org = await createOrganization(t);
    const id = await org.role("Clerk", "Todos.Read", "Units.Read");
    const page = await open(t, `/roles/${id}`, { as: org.admin });
    await page.getByRole("textbox", { name: "Name" }).waitFor();
    expectStatus(await org.admin.patch(`/api/roles/${id}`, { permissions: ["Todos.Read"] }), 200);
    for (const name of ["Bookkeeper", "Clerk"]) {
      await page.getByRole("textbox", { name: "Name" }).fill(name);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      const { data } = expectStatus(await org.admin.get("/api/roles"), 200).body;
      expect(data.find((role: { id: string }) => role.id === id)).toMatchObject({
        name,
        permissions: ["Todos.Read"],
      });
    }
  });

  test("a built-in role is duplicated, and the matrix shows only the permissions in which the roles differ", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/roles", { as: admin });
    await page.getByRole("button", { name: "Actions for Member" }).click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await page.getByText("Begins with the permissions of Member.").waitFor();
    await page.getByRole("textbox", { name: "Name" }).fill("Reader");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("columnheader", { name: "Reader" }).waitFor();
    const { data } = expectStatus(await admin.get("/api/roles"), 200).body;
    type Role = { name: string; permissions: string[] };
    const permissionsOf = (name: string) => data.find((role: Role) => role.name === name).permissions;
    expect(permissionsOf("Reader")).toEqual(permissionsOf("MEMBER"));

    const both = page.getByRole("rowheader", { name: "Create todos" });
    await both.waitFor();
    await page.getByLabel("Differences only").check();
    await both.waitFor({ state: "detached" });
    await page.getByRole("rowheader", { name: "Remove members" }).waitFor();
  });

  test("when every invitation was sent, the results replace the form, and lead to the list", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/invitations/new", { as: admin });
    await page.getByLabel("Email addresses").fill("notanaddress, ada@example.com\nGrace <grace@example.com>");
    await page.getByText("Addresses found: 2 Not an email address: notanaddress.").waitFor();
    await page.getByLabel("Email addresses").fill("grace@example.com, ada@nowhere");
    await page.getByText("Addresses found: 2 Check the spelling: ada@nowhere.").waitFor();
    await page.getByLabel("Email addresses").fill("grace@example.com");
    await page.getByRole("button", { name: "Send invitations" }).click();
    await page.getByText("Invitations sent: 1").waitFor();
    await focused(page.getByRole("link", { name: "Done" }));
    await axe(page);
    await page.getByRole("button", { name: "Invite more people" }).click();
    expect(await page.getByLabel("Email addresses").inputValue()).toBe("");
  });

  test("the settings keep the entered values when the short name is taken, and a new name is shown on all pages", async () => {
    await createOrganization(t, "Taken place");
    const { admin } = await createOrganization(t, "Beta");
    const page = await open(t, "/settings", { as: admin });
    await page.getByLabel("Name", { exact: true }).fill("Gamma");
    await page.getByLabel("Short name").fill("taken-place");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("This short name is already in use.").waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Gamma");
    await page.getByLabel("Short name").fill("gamma-place");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved").waitFor();
    await page.getByRole("link", { name: "Organization" }).click();
    await page.getByRole("heading", { level: 1, name: "Gamma" }).waitFor();
  });

  test("a plan is bought at the payment provider, which redirects back to a page that shows the subscription", async () => {
    const organization = await createOrganization(t);
    const page = await open(t, "/organization", { as: organization.admin });
    await page.getByRole("link", { name: "Plan and billing" }).click();
    await page.getByText("The trial ends on").waitFor();
    await page.getByRole("region", { name: "Usage" }).getByText("1 of 50").first().waitFor();
    await page.getByText("Yearly", { exact: true }).click();
    await page.getByRole("button", { name: "Choose Enterprise" }).click();
    await page.waitForURL((url) => url.origin === new URL(payments.url).origin);

    const shop = new ServiceWithPayments(t, payments, proxy);
    await page.goto("/billing?checkout=success");
    await page.getByText("Waiting for the payment provider to confirm the payment.").waitFor();
    await shop.subscribe((await shop.customerOf(organization)) ?? "", "price_enterprise");
    await page.getByText("Subscription: Active, Yearly").waitFor();
    await page
      .getByRole("button", { name: /^Choose/ })
      .first()
      .waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Manage the subscription" }).click();
    await page.waitForURL((url) => url.origin === new URL(payments.url).origin);
  });

  test("by keyboard alone an administrator meets the limit of the plan, follows its link, and chooses another plan", async () => {
    const org = await createOrganization(t);
    await storeSubscription(t, org, { trial_ends_at: new Date(0) });
    for (const name of ["North", "East", "South"]) await org.unit(name);
    for (let members = 1; members < 5; members += 1) await org.member();
    const page = await open(t, "/invitations/new", { as: org.admin });
    await type(page, page.getByLabel("Email addresses"), uniqueEmail());
    await press(page, button(page, "Send invitations"));
    await page.getByText("5 of 5 used.").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Plan and billing" }).waitFor();
    await page.goto("/units");
    await page.getByRole("treeitem", { name: "South" }).waitFor();
    await press(page, button(page, "New unit"));
    const dialog = page.getByRole("dialog");
    await focused(dialog.getByLabel("Name"));
    await page.keyboard.type("West");
    await page.keyboard.press("Enter");
    await dialog.getByText("3 of 3 used.").waitFor();
    await press(page, dialog.getByRole("link", { name: "Plan and billing" }));
    await heading(page, /billing/i);
    await tabTo(page, button(page, "Choose Pro"));
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.origin === new URL(payments.url).origin);
  });

  test("prices are shown with the decimals of their currency, and a subscription with the day on which it renews or ends", async () => {
    const organization = await createOrganization(t);
    const shop = new ServiceWithPayments(t, payments, proxy);
    const subscription = await shop.subscribe(await shop.customer(organization), "price_pro_month");
    const page = await open(t, "/billing", { as: organization.admin });
    const shows = async (...texts: (string | RegExp)[]) => {
      for (const text of texts) await page.getByText(text).waitFor();
    };
    await shows(/^HUF\s4,900\.00$/, /^MGA\s9,000\.00$/, /^Renews on /);
    const turn = async (more: Partial<typeof subscription>) => {
      Object.assign(subscription, more);
      expectStatus(await shop.tell("customer.subscription.updated", subscription), 200);
      await page.reload();
    };
    await turn({ cancel_at: Date.UTC(2035, 0, 31, 12) / 1000, items: { ...subscription.items, data: [] } });
    await shows("Ends on 31 Jan 2035 and is not renewed");
    await turn({ cancel_at: null, pause_collection: { behavior: "void", resumes_at: null } });
    await shows(/^Subscription: Paused/);
    expect(await page.getByText(/^(Renews|Ends) on /).count()).toBe(0);
  });

  test("the usage of each limit is drawn with its trend, and is read by arrow keys", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/billing", { as: admin });
    await page.getByRole("link", { name: "Usage", exact: true }).click();
    const table = page.getByRole("table", { name: "Use over time: Members" });
    await table.waitFor({ state: "attached" });
    const cells = await table.getByRole("cell").allTextContents();
    // 90 counted days, and a third of them expected.
    expect([cells.filter((text) => text.endsWith("used")).length, cells.length]).toEqual([90, 120]);
    expect(cells[89]).toBe("1 used");
    await page.getByRole("group", { name: /^Use over time: Members/ }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("status").filter({ hasText: "used" }).waitFor();
  });

  test("a member sees no menu items for missing permissions, is told why a page is not available, and can leave the organization", async () => {
    const organization = await createOrganization(t);
    const member = await organization.member();
    const page = await open(t, "/audit", { as: member });
    await page.getByText("Your roles do not give you access to this page.").waitFor();
    const menu = page.getByRole("navigation", { name: "Main menu" });
    await menu.getByRole("link", { name: "Units" }).waitFor();
    for (const name of ["Members", "Billing", "Audit log", "Settings"])
      expect(await menu.getByRole("link", { name }).count()).toBe(0);
    await menu.getByRole("link", { name: "Organization" }).click();
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await menu.getByRole("link", { name: "Organization" }).waitFor({ state: "detached" });
    expectStatus(await organization.admin.get(`/api/members/${await userIdOf(t, member)}`), 404);
  });

  test("the values of the members' cards stand below each other on a tablet", async () => {
    const org = await createOrganization(t);
    const role = await org.role("Keeper of the keys", "Units.Read");
    await org.member({ role });
    const page = await open(t, "/members", { as: org.admin, width: 768 });
    await page.getByText("Keeper of the keys").waitFor();
    const cells = await page.locator('td[data-label="Second factor"]').all();
    const lefts = await Promise.all(cells.map(async (cell) => (await cell.boundingBox())?.x));
    expect(lefts).toEqual([expect.any(Number), lefts[0]]);
  });
});

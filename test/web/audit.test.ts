import { afterEach, describe, expect, test } from "bun:test";
import { report } from "../support/helpdesk.ts";
import { createOrganization, userIdOf } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, sharedConsole, withoutBrowser } from "./support/browser.ts";
import { settled } from "./support/pages.ts";
import { expectSoon, focused, focusWithin, hold, searchIs } from "./support/waits.ts";

const t = await sharedConsole();
afterEach(expectQuiet);

/** An organization whose administrator has given a member a role in a unit. */
async function withGivenRole() {
  const org = await createOrganization(t);
  const unit = await org.unit("Greece");
  const roleId = await org.role("Gardener", "Units.Read");
  const member = await org.member({ role: "MEMBER" });
  const userId = await userIdOf(t, member);
  const path = `/api/members/${userId}`;
  const { assignments } = expectStatus(await org.admin.get(path), 200).body;
  const kept = assignments.map(({ role }: { role: { id: string } }) => ({ roleId: role.id, unitId: null }));
  const given = { assignments: [...kept, { roleId, unitId: unit }] };
  expectStatus(await org.admin.patch(`${path}/roles`, given), 200);
  return { org, unit, member, userId };
}

describe.skipIf(withoutBrowser)("the audit log", () => {
  test("says in a sentence who did what, by day, with the people and units as links", async () => {
    const { org, unit, userId } = await withGivenRole();
    const page = await open(t, "/audit", { as: org.admin });
    const log = page.getByRole("region", { name: "Audit log" });
    // The day may change during the test.
    await log
      .getByRole("heading", { level: 2, name: /^(Today|Yesterday)$/ })
      .first()
      .waitFor();
    const row = log.getByRole("listitem").filter({ hasText: "gave" });
    await row.getByText("Ada Lovelace gave Ada Lovelace Gardener in Greece").waitFor();
    const places = row.getByRole("link");
    await expectSoon(() => places.count(), 4);
    const paths = await Promise.all((await places.all()).map((link) => link.getAttribute("href")));
    expect(paths[1]).toBe(`/members/${userId}`);
    expect(paths[3]).toBe(`/units?unit=${unit}`);
    await row.getByRole("link", { name: "Greece" }).click();
    await page.getByRole("heading", { level: 1, name: "Units" }).waitFor();
    await searchIs(page, "unit", unit);
  });

  for (const width of [1280, 375])
    test(`opens the details of an event beside it, by a click or by Enter, and leads to similar events: ${width} px`, async () => {
      const { org, userId } = await withGivenRole();
      const page = await open(t, "/audit", { as: org.admin, width });
      await settled(page);
      const row = page.getByRole("listitem").filter({ hasText: "gave" });
      const button = row.getByRole("button", { name: /^Details: Changed the roles of a member, / });
      await button.focus();
      await page.keyboard.press("Enter");
      const details = page.getByRole("dialog", { name: "Changed the roles of a member" });
      await focusWithin(details);
      await details.getByText("Gardener in Greece").last().waitFor();
      await details.getByText("Request", { exact: true }).waitFor();
      await details.getByText("JSON", { exact: true }).click();
      await details.getByRole("button", { name: "Copy as JSON" }).waitFor();
      await details.getByText('"action": "MEMBER_ROLES_CHANGED"').waitFor();
      await axe(page);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      await page.keyboard.press("Escape");
      await focused(button);

      // A click next to the texts, which may be links.
      await row.click({ position: { x: 4, y: 4 } });
      await details.getByRole("link", { name: "Everything about Ada Lovelace" }).click();
      await searchIs(page, "targetId", userId);
      await details.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Remove the filter About: Ada Lovelace" }).waitFor();
    });

  test("of the platform has the same sentences with the organization, and filters by it", async () => {
    const { org } = await withGivenRole();
    const page = await open(t, `/platform/audit?organization=${org.id}`, { as: await t.platformAdmin() });
    const log = page.getByRole("region", { name: "Platform audit log" });
    const row = log.getByRole("listitem").filter({ hasText: "Gardener in Greece" });
    await row.getByRole("link", { name: "Acme" }).waitFor();
    await page.getByRole("button", { name: "Remove the filter Organization: Acme" }).waitFor();
    await row.getByRole("button", { name: /^Details: / }).click();
    const details = page.getByRole("dialog");
    await details.getByText("Organization", { exact: true }).waitFor();
    await axe(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Remove the filter Organization: Acme" }).click();
    await log.getByText("signed in").first().waitFor();
  });

  test("is filtered by a member; Enter before the search has ended chooses nobody", async () => {
    const org = await createOrganization(t);
    const member = await org.member({ role: "MEMBER" });
    const userId = await userIdOf(t, member);
    const page = await open(t, "/audit", { as: org.admin });
    const field = page.getByRole("combobox", { name: "Who" });
    await field.click();
    await page.getByRole("option", { name: org.admin.email }).waitFor();
    const search = await hold(page, "GET", "**/api/members?*search=*");
    await field.fill(member.email);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByText("Loading", { exact: true }).waitFor();
    search.release();
    const option = page.getByRole("option", { name: member.email });
    await option.waitFor();
    expect(new URL(page.url()).searchParams.has("actorId")).toBe(false);
    expect(await page.getByRole("option").count()).toBe(1);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await searchIs(page, "actorId", userId);
    await expectSoon(() => field.inputValue(), `Ada Lovelace · ${member.email}`);

    // Another text offers only its own results, not the chosen member.
    await field.fill(org.admin.email);
    await page.getByRole("option", { name: org.admin.email }).waitFor();
    expect(await page.getByRole("option").count()).toBe(1);
  });

  test("without a match says so and offers to clear the filters", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/audit?action=ROLE_DELETED", { as: admin });
    const clear = page.getByRole("button", { name: "Clear filters" });
    await clear.waitFor();
    await axe(page);
    await clear.click();
    await page.getByRole("region", { name: "Audit log" }).getByRole("listitem").first().waitFor();
  });
});

describe.skipIf(withoutBrowser)("the active filters of a list", () => {
  test("are shown by name, and are removed one by one or all at once, also by keyboard", async () => {
    const org = await createOrganization(t);
    const unit = await org.unit("Greece");
    await org.member({ role: "MEMBER", unit });
    const page = await open(t, `/members?unit=${unit}&twoFactor=off`, { as: org.admin, width: 375 });
    const chips = page.getByRole("group", { name: "Active filters" });
    await chips.getByRole("button", { name: "Remove the filter Unit and its sub-units: Greece" }).waitFor();
    await axe(page);
    await chips.getByRole("button", { name: "Remove the filter Second factor: Off" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => !url.searchParams.has("twoFactor"));
    expect(new URL(page.url()).searchParams.get("unit")).toBe(unit);
    // The next Tab continues at the remaining filters, not at the top of the page.
    await focused(chips);
    await page.keyboard.press("Tab");
    await focused(chips.getByRole("button").first());
    await chips.getByRole("button", { name: "Clear all" }).click();
    await page.waitForURL((url) => !url.searchParams.has("unit"));
    await expectSoon(() => chips.getByRole("button").count(), 0);
  });

  test("are shown for tickets and todos", async () => {
    const org = await createOrganization(t);
    const member = await org.member({ role: "MEMBER" });
    await report(member);
    const page = await open(t, "/support/tickets?status=CLOSED&category=BUG", { as: member });
    await page.getByRole("button", { name: "Remove the filter Status: Closed" }).click();
    await page.waitForURL((url) => !url.searchParams.has("status"));
    await page.getByRole("button", { name: /^Remove the filter Category: / }).waitFor();

    const userId = await userIdOf(t, member);
    const todos = await open(t, `/todos/all?member=${userId}`, { as: org.admin });
    await todos.getByRole("button", { name: "Remove the filter Member: Ada Lovelace" }).click();
    await todos.waitForURL((url) => !url.searchParams.has("member"));
  });
});

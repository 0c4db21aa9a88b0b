import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { report } from "../support/helpdesk.ts";
import { createOrganization, userIdOf } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { expectQuiet, open, sharedConsole, withoutBrowser } from "./support/browser.ts";
import { settled, visit } from "./support/pages.ts";

const t = await sharedConsole();
afterEach(expectQuiet);

const MARKUP = '<img src=x onerror="document.title=1">';
/** A name of right-to-left letters; the API refuses direction marks, which would also reverse the text after them. */
const TURNED = "שלום";
/** Returns a name of the maximum length, 100 characters, without a place for a line break. */
const nameOf = (what: string) => `${MARKUP}${TURNED}${what}`.padEnd(100, "W");

/** Pages on which a name was interpreted as markup, or that are wider than a phone's screen. */
const harmed: unknown[] = [];
async function look(page: Page, path: string) {
  await settled(page);
  const found = await page.evaluate(`({
    images: document.querySelectorAll('img[src="x"]').length,
    width: document.documentElement.scrollWidth,
    isTitled: document.title !== "1",
  })`);
  if (!Bun.deepEquals(found, { images: 0, width: 375, isTitled: true })) harmed.push([path, found]);
}

describe.skipIf(withoutBrowser)("hostile names", () => {
  test("a name of 100 characters with markup and right-to-left letters is shown as text and fits a phone's screen, on every page", async () => {
    const organization = await createOrganization(t, nameOf("organization"));
    const { admin } = organization;
    const unit = await organization.unit(nameOf("unit"));
    const roleId = await organization.role(nameOf("role"), "Members.Read");
    const member = await organization.member({ role: roleId, unit });
    for (const who of [admin, member])
      expectStatus(
        await who.patch("/api/profile", { firstName: nameOf("first"), lastName: nameOf("last") }),
        200,
      );
    const userId = await userIdOf(t, member);
    const [own, of] = [
      await report(admin, { subject: nameOf("own") }),
      await report(member, { subject: nameOf("of") }),
    ];
    expectStatus(await admin.post("/api/todos", { title: nameOf("todo") }), 201);
    const roles = { assignments: [{ roleId, unitId: unit }] };
    expectStatus(await admin.patch(`/api/members/${await userIdOf(t, member)}/roles`, roles), 200);

    const page = await open(t, "/", { as: admin, width: 375 });
    await page.locator("h1").waitFor();
    await look(page, "/");
    for (const path of [
      "/organization",
      "/members",
      `/members/${userId}`,
      `/members/${userId}/access?permission=Members.Read&unit=${unit}`,
      "/invitations/new",
      `/units?unit=${unit}`,
      "/roles",
      `/roles/${roleId}`,
      "/audit",
      "/settings",
      "/todos",
      "/todos/all",
      "/support/tickets",
      `/support/tickets/${own.id}`,
      "/helpdesk/tickets",
      `/helpdesk/tickets/${of.id}`,
      "/profile",
    ]) {
      await visit(page, path);
      await look(page, path);
    }
    // Direction marks are refused with an error at the field.
    await visit(page, "/todos");
    await page.getByRole("textbox", { name: "Title" }).fill("\u202eturned");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("textbox", { name: "Title" }).and(page.locator('[aria-invalid="true"]')).waitFor();

    const platform = await open(t, "/platform/organizations", { as: await t.platformAdmin(), width: 375 });
    await platform.locator("h1").waitFor();
    await look(platform, "/platform/organizations");
    for (const path of [
      `/platform/organizations/${organization.id}`,
      "/platform/users",
      `/platform/users/${userId}`,
      "/platform/tickets",
      `/platform/tickets/${of.id}`,
      "/platform/audit",
    ]) {
      await visit(platform, path);
      await look(platform, path);
    }
    await visit(platform, `/platform/organizations/${organization.id}`);
    await platform.getByRole("button", { name: "Open as administrator" }).click();
    await platform.getByRole("complementary").waitFor();
    await look(platform, "acting");
    expect(harmed).toEqual([]);
  });
});

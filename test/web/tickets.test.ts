import { afterEach, describe, expect, test } from "bun:test";
import { ORGANIZATION_TICKETS, report } from "../support/helpdesk.ts";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { inAnotherBrowser } from "../support/sessions.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, sharedConsole, withoutBrowser } from "./support/browser.ts";
import { expectSoon, focused } from "./support/waits.ts";

const t = await sharedConsole();
afterEach(expectQuiet);

describe.skipIf(withoutBrowser)("tickets", () => {
  test("web addresses in a message are links in another tab; others, and those with a user name, stay text", async () => {
    const org = await createOrganization(t);
    const message = [
      "See https://example.com/a_(b)?c=1&d=<b>, (http://example.org/path).",
      "javascript:alert(1) https://bank.example@evil.example/ ftp://example.com www.example.com",
    ].join("\n");
    const { id } = await report(org.admin, { message });
    const page = await open(t, `/support/tickets/${id}`, { as: org.admin });
    const text = page.locator(".message-text");
    await text.waitFor();
    expect(await text.textContent()).toBe(message);
    const links = text.getByRole("link");
    expect(await Promise.all((await links.all()).map((link) => link.getAttribute("href")))).toEqual([
      "https://example.com/a_(b)?c=1&d=",
      "http://example.org/path",
    ]);
    for (const link of await links.all()) {
      expect(await link.getAttribute("target")).toBe("_blank");
      expect(await link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    }
    await axe(page);
  });

  test("a ticket is marked as unread in the list until it is opened, which also reads its notifications", async () => {
    const org = await createOrganization(t);
    const member = await org.member({ role: "MEMBER" });
    const [{ id }] = [await report(member, { subject: "The newer" }), await report(member)];
    const page = await open(t, "/helpdesk/tickets", { as: org.admin });
    const unread = page.getByRole("row").filter({ hasText: "Unread" });
    await expectSoon(() => unread.count(), 2);
    await page.getByRole("link", { name: "The newer" }).click();
    await page.getByRole("heading", { name: "The newer", level: 1 }).waitFor();
    const list = () => org.admin.get("/api/notifications?unread=true");
    const of = (body: { data: { data: { ticketId?: string } }[] }) =>
      body.data.flatMap(({ data }) => data.ticketId ?? []);
    await expectSoon(async () => of(expectStatus(await list(), 200).body).includes(id), false);
    await page.getByRole("link", { name: "Back to the list" }).click();
    await expectSoon(() => unread.count(), 1);
    expect(await unread.textContent()).toContain("The list stays empty");

    expectStatus(await org.admin.post(`${ORGANIZATION_TICKETS}/${id}/messages`, { message: "Mended" }), 201);
    const own = await open(t, "/support/tickets", { as: await inAnotherBrowser(member) });
    const row = own.getByRole("row").filter({ hasText: "Unread" });
    await row.filter({ hasText: "The newer" }).waitFor();
    expect(await row.count()).toBe(1);
  });

  test("J and K move through the list of tickets, but not in a field", async () => {
    const org = await createOrganization(t);
    for (const subject of ["First", "Second", "Third"]) await report(org.admin, { subject });
    const page = await open(t, "/helpdesk/tickets", { as: org.admin });
    const link = (name: string) => page.getByRole("link", { name, exact: true });
    await link("First").waitFor();
    await link("Overview").focus();
    await page.keyboard.press("j");
    await focused(link("Third"));
    await page.keyboard.press("j");
    await focused(link("Second"));
    await page.keyboard.press("k");
    await focused(link("Third"));
    await page.getByLabel("Search").focus();
    await page.keyboard.type("jk");
    expect(await page.getByLabel("Search").inputValue()).toBe("jk");
    await focused(page.getByLabel("Search"));
  });
});

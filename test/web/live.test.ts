import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { report } from "../support/helpdesk.ts";
import { acceptNew, invited } from "../support/invitations.ts";
import { write } from "../support/notifications.ts";
import { assignments, createOrganization, createOrganizationBy, userIdOf } from "../support/organizations.ts";
import { TestProxy } from "../support/proxy.ts";
import { expectStatus } from "../support/service.ts";
import { inAnotherBrowser } from "../support/sessions.ts";
import {
  closeAfterTest,
  expectQuiet,
  open,
  sharedConsole,
  startConsole,
  tolerate,
  withoutBrowser,
} from "./support/browser.ts";
import { heading } from "./support/steps.ts";

const t = await sharedConsole();
const first = await startConsole({}, { databaseUrl: t?.databaseUrl, keep: true });
afterEach(expectQuiet);

const menu = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Main menu" }).getByRole("link", { name, exact: true });
/** Waits until the notification stream is open; earlier changes send no event to the page. */
const isLive = (page: Page) => page.getByRole("button", { name: /^Notifications, \d/ }).waitFor();

describe.skipIf(withoutBrowser)("live updates of open pages", () => {
  test("an accepted invitation and a reply to a ticket appear on the open pages, and a notification leads to its organization", async () => {
    const second = await createOrganization(t, "Second");
    const { admin } = second;
    const organization = await createOrganizationBy(t, admin, "First");
    const { token, email } = await invited(t, admin);
    const members = await open(t, "/members", { as: admin });
    await isLive(members);
    expectStatus(await acceptNew(t, token), 204);
    await members.getByRole("row", { name: email }).waitFor();

    const reporter = await organization.member();
    const ticket = await report(reporter);
    const page = await open(t, `/support/tickets/${ticket.id}`, { as: reporter });
    await heading(page, ticket.subject);
    await isLive(page);
    const path = `/api/organization/helpdesk/tickets/${ticket.id}`;
    expectStatus(await admin.post(`${path}/messages`, { message: "It is mended" }), 201);
    await Promise.all([
      page
        .getByRole("status")
        .getByText(/New reply to your ticket/)
        .waitFor(),
      page.getByText("It is mended", { exact: true }).waitFor(),
    ]);
    expectStatus(await admin.patch(path, { status: "RESOLVED" }), 200);
    await page.getByText("Resolved", { exact: true }).first().waitFor();

    const elsewhere = await inAnotherBrowser(admin);
    expectStatus(await elsewhere.post("/api/auth/organization", { organizationId: second.id }), 200);
    const other = await open(t, "/", { as: elsewhere });
    await other.getByText("Second · Administrator").waitFor();
    await other.getByRole("button", { name: `${email} has accepted your invitation.` }).click();
    await heading(other, "Grace Hopper");
    await other.getByRole("button", { name: "Organization: First" }).waitFor();
  });

  test("when a role is removed from a user, the pages that need it disappear with an explanation", async () => {
    const organization = await createOrganization(t);
    const role = await organization.role("Clerk", "Members.Read", "Units.Read");
    const member = await organization.member({ role });
    const page = await open(t, "/members", { as: member });
    await page.getByRole("row", { name: member.email }).waitFor();
    await isLive(page);
    expectStatus(
      await organization.admin.patch(
        `/api/members/${await userIdOf(t, member)}/roles`,
        assignments({ role: "MEMBER" }),
      ),
      200,
    );
    // The notification disappears after some seconds.
    await Promise.all([
      page.getByText("Your roles do not give you access to this page.").waitFor(),
      page.getByRole("status").getByText("Your roles changed. New: Member.").waitFor(),
    ]);
    await menu(page, "Members").waitFor({ state: "detached" });
    await menu(page, "Units").waitFor();
  });

  test("when a role loses permissions, entered text stays next to the error, and the menu adapts", async () => {
    const organization = await createOrganization(t);
    const permissions = ["Members.Read", "Units.Read", "Units.Create"];
    const role = await organization.role("Clerk", ...permissions);
    const page = await open(t, "/units", { as: await organization.member({ role }) });
    await page.getByRole("button", { name: "New unit" }).click();
    expectStatus(await organization.admin.patch(`/api/roles/${role}`, { permissions: ["Units.Read"] }), 200);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Typed with care");
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").waitFor();
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Typed with care");
    await menu(page, "Members").waitFor({ state: "detached" });
    await menu(page, "Units").waitFor();
  });

  test("when an organization is suspended, a refused change says so and keeps the entered text", async () => {
    const { admin, id } = await createOrganization(t, "Acme");
    const page = await open(t, "/units", { as: admin });
    closeAfterTest(page);
    await page.clock.install();
    await page.reload();
    await page.getByRole("button", { name: "New unit" }).first().click();
    const platform = await t.platformAdmin();
    expectStatus(await platform.patch(`/api/organizations/${id}/status`, { status: "SUSPENDED" }), 200);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Typed with care");
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").waitFor();
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Typed with care");
    // The page asks a minute after it was opened.
    await page.clock.fastForward(60_000);
    await page.getByText("Acme is suspended. Nothing can be changed in it").waitFor();
  });

  test("while the service restarts, a banner is shown; afterwards the page shows the changes that it missed", async () => {
    const proxy = await TestProxy.start(first.url);
    const { admin } = await createOrganization(t);
    const page = await open(t, `${proxy.url}/members`, { as: admin });
    await page.getByRole("row", { name: admin.email }).waitFor();
    await page.getByRole("button", { name: "Notifications, 1 unread" }).waitFor();
    tolerate(/net::ERR_/);
    await first.stop();
    proxy.cut();
    await page.getByText("Connection lost.").waitFor();
    // Makes a change whose event no stream receives, and a change that sends no event.
    await write(t, admin);
    expectStatus(await admin.patch("/api/profile", { firstName: "Augusta" }), 200);
    proxy.lead(t.url);
    await page.getByText("Connection lost.").waitFor({ state: "detached" });
    await page.getByRole("row", { name: "Augusta Lovelace" }).waitFor();
    await page.getByRole("button", { name: "Notifications, 2 unread" }).click();
    await page.getByRole("button", { name: "This is a test notification." }).waitFor();
  });
});

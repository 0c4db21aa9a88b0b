import { afterEach, describe, expect, test } from "bun:test";
import { insertGrant, useApp } from "../support/apps.ts";
import { ORGANIZATION_TICKETS, report } from "../support/helpdesk.ts";
import { createOrganization } from "../support/organizations.ts";
import { idOf } from "../support/outcomes.ts";
import { expectStatus } from "../support/service.ts";
import { expectQuiet, open, sharedConsole, withoutBrowser } from "./support/browser.ts";
import { settled } from "./support/pages.ts";
import { searchIs } from "./support/waits.ts";

const t = await sharedConsole();
afterEach(expectQuiet);

/** An organization in which an app renamed a unit and replied to a ticket, for the administrator. */
async function withApp() {
  const org = await createOrganization(t);
  const unit = await org.unit("Greece");
  const place = { userId: idOf(org.admin), organizationId: org.id };
  const { grantId, accessToken } = await insertGrant(t, { ...place, clientName: "Claude Code" });
  const app = useApp(t, accessToken);
  expectStatus(await app.patch(`/api/units/${unit}`, { name: "Hellas" }), 200);
  const reporter = await org.member({ role: "MEMBER" });
  const ticket = await report(reporter);
  const reply = { message: "We look into it." };
  expectStatus(await app.post(`${ORGANIZATION_TICKETS}/${ticket.id}/messages`, reply), 201);
  return { org, reporter, ticket, grantId };
}

describe.skipIf(withoutBrowser)("what an app did for a person", () => {
  test("is shown in the audit log beside the person, and leads to all that the app did", async () => {
    const { org, grantId } = await withApp();
    const page = await open(t, "/audit", { as: org.admin, width: 375 });
    const row = page
      .getByRole("listitem")
      .filter({ hasText: "via Claude Code" })
      .filter({ hasText: "Hellas" });
    await row.getByText(/^Ada Lovelace via Claude Code /).waitFor();
    await row.getByRole("button", { name: /^Details: Changed a unit, / }).click();
    const details = page.getByRole("dialog", { name: "Changed a unit" });
    await details.getByRole("link", { name: "Only what Claude Code did" }).click();
    await searchIs(page, "grantId", grantId);
    await page.getByText("App: Claude Code").waitFor();
    await settled(page);
    expect(await page.getByRole("listitem").filter({ hasText: "invited" }).count()).toBe(0);
  });

  test("is shown at the messages of a ticket to its reporter, at 320 px, in Greek", async () => {
    const { reporter, ticket } = await withApp();
    expectStatus(await reporter.patch("/api/profile", { language: "el" }), 200);
    const via = "μέσω Claude Code";
    const page = await open(t, `/support/tickets/${ticket.id}`, { as: reporter, language: "el", width: 320 });
    const message = page.getByRole("listitem").filter({ hasText: "We look into it." });
    await message.getByText(via, { exact: true }).waitFor();
    expect(await page.getByText(via, { exact: true }).count()).toBe(1);
    await settled(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
  });
});

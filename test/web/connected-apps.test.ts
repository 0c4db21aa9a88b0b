import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { AUTHORIZATIONS, insertClient, insertGrant } from "../support/apps.ts";
import { createOrganization, userIdOf } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, sharedConsole, startConsole, withoutBrowser } from "./support/browser.ts";
import { press } from "./support/steps.ts";
import { expectSoon } from "./support/waits.ts";

const t = await sharedConsole();
const off = await startConsole({ OAUTH: "off" });
afterEach(expectQuiet);

const confirm = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
const section = (page: Page, name: string) => page.getByRole("region", { name });

/** A person of two organizations with three apps. */
async function withApps() {
  const [acme, other] = [await createOrganization(t, "Acme"), await createOrganization(t, "Other")];
  const person = acme.admin;
  await other.add(person);
  const userId = await userIdOf(t, person);
  const unitId = await acme.unit("Sales");
  const clientId = await insertClient(t, { name: "Reporter" });
  await insertGrant(t, {
    userId,
    organizationId: acme.id,
    unitId,
    scopes: ["todos:read"],
    clientName: "Agent",
  });
  await insertGrant(t, {
    ...{ userId, organizationId: acme.id, clientName: "Reporter", oauthClientId: clientId },
    ...{ scopes: ["todos:read", "todos:write", "inspections:read"], lastUsedAt: new Date() },
  });
  await insertGrant(t, { userId, organizationId: other.id, clientName: "Desk" });
  return { person };
}

describe.skipIf(withoutBrowser)("the page of one's own connected apps", () => {
  test("lists them by organization with what they may do, and disconnects one or all", async () => {
    const { person } = await withApps();
    const page = await open(t, "/profile", { as: person });
    await page.getByRole("link", { name: "Connected apps" }).click();
    const [acme, other] = [section(page, "Acme"), section(page, "Other")];
    await acme.getByText("Reporter", { exact: true }).waitFor();
    await acme.getByText(/Create, change, complete and delete todos and See: Inspections$/).waitFor();
    await acme.getByText("Sales and below").waitFor();
    await acme.getByText("Not used yet").waitFor();
    await acme.getByText("Last used: now").waitFor();
    expect(await acme.getByText("Only reads").count()).toBe(1);
    await other.getByText("Desk", { exact: true }).waitFor();
    await axe(page);

    await press(page, "Disconnect Agent");
    await page.getByText("“Agent” loses its access to Acme at once.").waitFor();
    await confirm(page, "Disconnect");
    await acme.getByText("Agent", { exact: true }).waitFor({ state: "detached" });
    await press(page, "Disconnect all");
    await confirm(page, "Disconnect all");
    await page.getByText("You have not connected any app.").waitFor();
    expect(expectStatus(await person.get("/api/profile/connected-apps"), 200).body).toEqual([]);
  });

  test("an app is disconnected by keyboard alone", async () => {
    const { person } = await withApps();
    const page = await open(t, "/profile/apps", { as: person });
    await page.getByRole("button", { name: "Disconnect Desk" }).focus();
    await page.keyboard.press("Enter");
    await expectSoon(
      () => page.getByRole("button", { name: "Cancel" }).and(page.locator(":focus")).count(),
      1,
    );
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await section(page, "Other").waitFor({ state: "detached" });
  });

  test("without connected apps the profile has no such tab, and this page and that of a request say so", async () => {
    const { admin } = await createOrganization(off);
    const page = await open(off, "/profile/apps", { as: admin });
    await page.getByText("Apps cannot be connected to this service.").waitFor();
    await page.getByRole("link", { name: "Your data" }).waitFor();
    expect(await page.getByRole("link", { name: "Connected apps" }).count()).toBe(0);
    await page.goto("/authorize?client_id=x");
    await page.getByText("Apps cannot be connected to this service.").waitFor();
    expectStatus(await admin.post(AUTHORIZATIONS, { query: "x" }), 404);
  });
});

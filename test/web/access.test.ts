import { afterEach, describe, expect, test } from "bun:test";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import {
  closeAfterTest,
  expectQuiet,
  open,
  openBeside,
  sharedConsole,
  withoutBrowser,
} from "./support/browser.ts";
import { settled, visit } from "./support/pages.ts";

const t = await sharedConsole();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
afterEach(expectQuiet);

describe.skipIf(withoutBrowser)("pages that a user may not see", () => {
  test("those of the platform do not exist for others; without a permission, a page says so and requests nothing", async () => {
    const { member } = await createOrganization(t).then(async (org) => ({ member: await org.member() }));
    const page = await open(t, "/profile", { as: member });
    await settled(page);
    const refused: string[] = [];
    page.on("response", (response) => response.status() === 403 && refused.push(response.url()));
    for (const path of ["organizations", "organizations/new", "users", "tickets", "audit"]) {
      await visit(page, `/platform/${path}`);
      await page.getByRole("heading", { name: "Page not found" }).waitFor();
      expect(await page.getByRole("textbox").count()).toBe(0);
    }
    for (const path of ["/todos/all", "/helpdesk/tickets", "/members"]) {
      await visit(page, path);
      await page.getByText("Your roles do not give you access to this page.").waitFor();
    }
    expect(refused).toEqual([]);
  });

  test("in a suspended organization a deep link names the suspension", async () => {
    const org = await createOrganization(t);
    const member = await org.member();
    await t.sql("UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1", [org.id]);
    await member.refresh();
    const page = await open(t, "/members", { as: member });
    await page.getByText("is suspended. A platform administrator can activate it again").waitFor();
  });

  test("a suspension shows on the open page within a minute and is the reason on the sign-in page; an activation needs no reload", async () => {
    const org = await createOrganization(t, "Acme");
    const member = await org.member();
    const platform = await t.platformAdmin();
    const become = async (status: "ACTIVE" | "SUSPENDED") =>
      expectStatus(await platform.patch(`/api/organizations/${org.id}/status`, { status }), 200);
    const page = await open(t, "/sign-in");
    closeAfterTest(page);
    await page.clock.install();
    const signIn = async () => {
      await page.getByLabel("Email address").fill(member.email);
      await page.getByRole("textbox", { name: "Password" }).fill("wide blue yonder");
      await page.keyboard.press("Enter");
    };
    await signIn();
    await page.getByRole("button", { name: "Organization: Acme" }).waitFor();

    await become("SUSPENDED");
    await page.clock.fastForward(MINUTE_MS);
    await page.getByText("Acme is suspended. Nothing can be changed in it").waitFor();
    await page.clock.fastForward(HOUR_MS);
    await page.getByText("Your organization was suspended, so your session has ended.").waitFor();

    await signIn();
    await page.getByRole("heading", { name: "Acme is suspended" }).waitFor();
    await become("ACTIVE");
    await page.clock.fastForward(MINUTE_MS);
    await page.getByRole("button", { name: "Organization: Acme" }).waitFor();
    await page.getByRole("heading", { name: "Acme is suspended" }).waitFor({ state: "detached" });
  });
});

describe.skipIf(withoutBrowser)("tabs of one user", () => {
  test("what is added in one tab appears in the other", async () => {
    const { admin } = await createOrganization(t);
    const first = await open(t, "/todos", { as: admin });
    await first.getByRole("heading", { name: "Todos" }).waitFor();
    const second = await openBeside(first, "/todos");
    await second.getByRole("textbox", { name: "Title" }).fill("Added here");
    await second.keyboard.press("Enter");
    await first.getByText("Added here").waitFor();
  });

  test("signing out sends no request that can only fail", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/", { as: admin });
    await page.getByRole("heading", { name: "News" }).waitFor();
    const refused: string[] = [];
    page.on("response", (response) => response.status() === 401 && refused.push(response.url()));
    await page.getByRole("button", { name: /Ada/ }).last().click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(refused).toEqual([]);
  });
});

describe.skipIf(withoutBrowser)("the page of units", () => {
  test("whoever may only read units is not told how to move them", async () => {
    const org = await createOrganization(t);
    await org.unit("Europe");
    const role = await org.role("Reader of units", "Units.Read");
    const page = await open(t, "/units", { as: await org.member({ role }) });
    await page.getByText("Keyboard: arrow keys to navigate.").waitFor();
    expect(await page.getByText("Drag a unit").count()).toBe(0);
  });
});

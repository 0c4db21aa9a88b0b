import { afterEach, describe, expect, test } from "bun:test";
import { assignments, createOrganization } from "../support/organizations.ts";
import { idOf } from "../support/outcomes.ts";
import { expectStatus } from "../support/service.ts";
import { expectQuiet, open, sharedConsole, withoutBrowser } from "./support/browser.ts";

const t = await sharedConsole();
afterEach(expectQuiet);

const useKey = (key: string) =>
  fetch(new URL("/api/service-accounts/self", t.url), { headers: { authorization: `Bearer ${key}` } });

describe.skipIf(withoutBrowser)("the pages of service accounts", () => {
  test("a service account is created; its API key is shown once and works until it is revoked", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/", { as: admin });
    await page
      .getByRole("navigation")
      .getByRole("link", { name: "Service accounts", exact: true })
      .first()
      .click();
    await page.getByText("There are no service accounts.").waitFor();
    await page.getByRole("link", { name: "New service account" }).click();
    await page.getByLabel("Name").fill("Deploy bot");
    await page.getByRole("combobox", { name: "Role" }).click();
    await page.getByRole("option", { name: "Member", exact: true }).click();
    await page.getByRole("button", { name: "New service account" }).click();
    await page.getByRole("heading", { level: 1, name: "Deploy bot" }).waitFor();
    await page.getByText("This service account has no keys.").waitFor();

    await page.getByRole("button", { name: "New key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("CI");
    await dialog.getByLabel("Allowed addresses").fill("203.0.113.0/24, everywhere");
    await dialog.getByRole("button", { name: "New key" }).click();
    await dialog.locator('textarea[aria-invalid="true"]').waitFor();
    await dialog.getByLabel("Allowed addresses").fill("");
    await dialog.getByRole("button", { name: "New key" }).click();
    const shown = await page.getByRole("textbox", { name: "Key", exact: true }).inputValue();
    expect((await useKey(shown)).status).toBe(200);
    // The dialog with the key closes only by its button.
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "I have stored the key" }).click();
    await page.getByRole("textbox", { name: "Key", exact: true }).waitFor({ state: "detached" });
    await page.getByRole("cell", { name: `${shown.slice(0, 9)}…` }).waitFor();
    expect(await page.content()).not.toContain(shown);
    await page.reload();
    await page.getByRole("cell", { name: `${shown.slice(0, 9)}…` }).waitFor();
    expect(await page.content()).not.toContain(shown);

    await page.getByRole("button", { name: "Actions for CI" }).click();
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("cell", { name: "Revoked" }).waitFor();
    expect((await useKey(shown)).status).toBe(401);
  });

  test("a replaced API key shows how long it still works; a deleted service account disappears from the list", async () => {
    const { admin } = await createOrganization(t);
    const body = { name: "Deploy bot", ...assignments({ role: "MEMBER" }) };
    const { id } = expectStatus(await admin.post("/api/service-accounts", body), 201).body;
    const keys = `/api/service-accounts/${id}/keys`;
    const { key } = expectStatus(await admin.post(keys, { name: "CI" }), 201).body;
    const page = await open(t, `/service-accounts/${id}`, { as: admin });
    await page.getByRole("button", { name: "Actions for CI" }).click();
    await page.getByRole("menuitem", { name: "Replace" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
    await page.getByText(/^The old key works until /).waitFor();
    const next = await page.getByRole("textbox", { name: "Key", exact: true }).inputValue();
    expect([(await useKey(key)).status, (await useKey(next)).status]).toEqual([200, 200]);
    await page.getByRole("button", { name: "I have stored the key" }).click();
    await page.getByRole("cell", { name: "Replaced" }).waitFor();
    const audit = page
      .getByRole("banner")
      .or(page.getByRole("main"))
      .getByRole("link", { name: "Audit log" });
    expect(await audit.last().getAttribute("href")).toBe(`/audit?actorId=${id}`);

    await page.getByRole("checkbox", { name: "Enabled" }).uncheck();
    const details = page.getByRole("region", { name: "Details" });
    await details.getByRole("button", { name: "Save" }).click();
    await details.getByText("Saved").waitFor();
    expect((await useKey(next)).status).toBe(401);

    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("There are no service accounts.").waitFor();
  });

  test("an API key is renamed and gets allowed addresses; a form with a wrong address shows it and changes nothing", async () => {
    const { admin } = await createOrganization(t);
    const body = { name: "Deploy bot", ...assignments({ role: "MEMBER" }) };
    const { id } = expectStatus(await admin.post("/api/service-accounts", body), 201).body;
    const keys = `/api/service-accounts/${id}/keys`;
    const { key } = expectStatus(await admin.post(keys, { name: "CI" }), 201).body;
    const page = await open(t, `/service-accounts/${id}`, { as: admin });
    await page.getByRole("button", { name: "Actions for CI" }).click();
    await page.getByRole("menuitem", { name: "Change" }).click();
    const dialog = page.getByRole("dialog", { name: "Change the key “CI”" });
    await dialog.getByLabel("Name").fill("Nightly build");
    await dialog.getByLabel("Allowed addresses").fill("203.0.113.7, everywhere");
    await dialog.getByRole("button", { name: "Change", exact: true }).click();
    await dialog.locator('textarea[aria-invalid="true"]').waitFor();
    expect((await useKey(key)).status).toBe(200);
    await dialog.getByLabel("Allowed addresses").fill("203.0.113.7");
    await dialog.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByRole("cell", { name: /^Nightly build/ }).waitFor();
    await page.getByText("203.0.113.7/32").waitFor();
    expect((await useKey(key)).status).toBe(403);

    // Without addresses, all may use it again.
    await page.getByRole("button", { name: "Actions for Nightly build" }).click();
    await page.getByRole("menuitem", { name: "Change" }).click();
    await page.getByRole("dialog").getByLabel("Allowed addresses").fill("");
    await page.getByRole("dialog").getByRole("button", { name: "Change", exact: true }).click();
    await page.getByText("203.0.113.7/32").waitFor({ state: "detached" });
    expect((await useKey(key)).status).toBe(200);

    // A rename does not send the addresses, which may need a proof of identity.
    await page.getByRole("button", { name: "Actions for Nightly build" }).click();
    await page.getByRole("menuitem", { name: "Change" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Weekly build");
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await page.getByRole("dialog").getByRole("button", { name: "Change", exact: true }).click();
    expect((await sent).postDataJSON()).toEqual({ name: "Weekly build" });
    await page.getByRole("cell", { name: /^Weekly build/ }).waitFor();
  });

  test("the roles of a service account are changed, and apply to its API key", async () => {
    const organization = await createOrganization(t);
    const { admin } = organization;
    await organization.unit("Sales");
    const body = { name: "Deploy bot", ...assignments({ role: "MEMBER" }) };
    const { id } = expectStatus(await admin.post("/api/service-accounts", body), 201).body;
    const { key } = expectStatus(
      await admin.post(`/api/service-accounts/${id}/keys`, { name: "CI" }),
      201,
    ).body;
    const page = await open(t, `/service-accounts/${id}`, { as: admin });
    const roles = page.getByRole("region", { name: "Roles" });
    await roles.getByRole("combobox", { name: "Role" }).click();
    await page.getByRole("option", { name: "Unit administrator", exact: true }).click();
    await roles.getByRole("combobox", { name: "Where" }).click();
    await page.getByRole("option", { name: "Sales" }).click();
    await roles.getByRole("button", { name: "Save" }).click();
    await roles.getByText("Saved").waitFor();
    const own = (await (await useKey(key)).json()) as { permissions: string[]; unitGrants: unknown[] };
    expect([own.permissions, own.unitGrants.length]).toEqual([[], 1]);
  });

  test("API keys say that their creator left, that they are unused, and that they end soon", async () => {
    const organization = await createOrganization(t);
    const creator = await organization.member({ role: "ORG_ADMIN" });
    const body = { name: "Deploy bot", ...assignments({ role: "MEMBER" }) };
    const { id } = expectStatus(await creator.post("/api/service-accounts", body), 201).body;
    const keys = `/api/service-accounts/${id}/keys`;
    const expiresAt = new Date(Date.now() + 3 * 24 * 3_600_000).toISOString();
    const old = expectStatus(await creator.post(keys, { name: "CI", expiresAt }), 201).body;
    await t.age("api_keys", { id: old.id }, { days: 91 });
    await t.sql("UPDATE api_keys SET expires_at = $1 WHERE id = $2", [expiresAt, old.id]);
    expectStatus(await organization.admin.delete(`/api/members/${idOf(creator)}`), 204);
    const page = await open(t, `/service-accounts/${id}`, { as: organization.admin });
    await page.getByText("(the creator has left)").waitFor();
    await page.getByText("(unused for 90 days)").waitFor();
    await page.getByText("(ends soon)").waitFor();
  });

  test("without the permission, the menu has no item for service accounts, and their page says why it is empty", async () => {
    const organization = await createOrganization(t);
    const member = await organization.member();
    const page = await open(t, "/service-accounts", { as: member });
    await page.getByText("Your roles do not give you access to this page.").waitFor();
    expect(await page.getByRole("navigation").getByRole("link", { name: "Service accounts" }).count()).toBe(
      0,
    );
  });
});

import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Caller } from "../support/caller.ts";
import { claims } from "../support/claims.ts";
import { createOrganization, type Organization } from "../support/organizations.ts";
import { idOf } from "../support/outcomes.ts";
import { expectStatus } from "../support/service.ts";
import { SIGN_ON } from "../support/sign-on.ts";
import { openOrganization, personOf } from "../support/sso.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { fits } from "./support/pages.ts";
import { expectSoon } from "./support/waits.ts";

const t = await startConsole(SIGN_ON);
afterEach(expectQuiet);

const REQUESTS = "/api/members/join-requests";

const ask = async (organization: Organization, person: Caller) =>
  expectStatus(await person.post(`/api/auth/organizations/${organization.id}/join`), 202);
const openRequests = async ({ admin }: Organization): Promise<number> =>
  expectStatus(await admin.get(REQUESTS), 200).body.total;

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describe.skipIf(withoutBrowser)("joining by the domain", () => {
  test("a person without an organization asks to join, withdraws, and asks again", async () => {
    const { organization, domain } = await openOrganization(t, "request");
    const page = await open(t, "/", { as: await personOf(t, { domain }) });
    await button(page, "Ask to join Acme").click();
    await page.getByText("You asked to join Acme. An administrator decides.").waitFor();
    expect(await openRequests(organization)).toBe(1);
    await button(page, "Withdraw the request to join Acme").click();
    await button(page, "Ask to join Acme").waitFor();
    expect(await openRequests(organization)).toBe(0);
  });

  test("the open page of a person changes when the request is approved", async () => {
    const { organization, domain } = await openOrganization(t, "request");
    const person = await personOf(t, { domain });
    const page = await open(t, "/", { as: person });
    await button(page, "Ask to join Acme").click();
    await page.getByText("You asked to join Acme. An administrator decides.").waitFor();
    const [request] = expectStatus(await organization.admin.get(REQUESTS), 200).body.data;
    expectStatus(await organization.admin.post(`${REQUESTS}/${request.id}/approve`), 200);
    await page.getByText("Acme · Member").waitFor();
  });

  test("a member of another organization joins at once where joining is automatic, and works there", async () => {
    const { organization, domain } = await openOrganization(t, "automatic");
    const { admin: other } = await createOrganization(t, "Globex");
    await t.sql("UPDATE users SET email = $2 WHERE id = $1", [idOf(other), `a@${domain}`]);
    const page = await open(t, "/", { as: other });
    await button(page, "Join Acme").click();
    await page.getByText("Acme · Member").waitFor();
    await expectSoon(() => button(page, "Join Acme").count(), 0);
    const { body } = await organization.admin.get("/api/members");
    expect(body.total).toBe(2);
  });

  test("administrators approve with the domain's roles or others, and deny", async () => {
    const { organization, domain } = await openOrganization(t, "request");
    const people = await Promise.all([1, 2, 3].map(() => personOf(t, { domain })));
    for (const person of people) await ask(organization, person);
    const page = await open(t, "/members", { as: organization.admin });
    await page.getByRole("link", { name: "Join requests 3" }).click();
    const row = (index: number) => page.getByRole("row").filter({ hasText: people[index]?.email ?? "" });
    const dialog = page.getByRole("dialog");

    await row(0).getByRole("button", { name: "Approve" }).click();
    await dialog.getByText("The person gets the default role of the organization.").waitFor();
    await axe(page);
    await dialog.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByRole("link", { name: "Join requests 2" }).waitFor();
    await people[0]?.refresh();
    expect(claims(people[0] as Caller)).toMatchObject({ roles: ["MEMBER"] });

    await row(1).getByRole("button", { name: "Approve" }).click();
    await dialog.getByRole("button", { name: "Choose other roles" }).click();
    await dialog.getByRole("combobox", { name: "Role" }).click();
    await page.getByRole("option", { name: "Administrator", exact: true }).click();
    await dialog.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByRole("link", { name: "Join requests 1" }).waitFor();
    await people[1]?.refresh();
    expect(claims(people[1] as Caller)).toMatchObject({ roles: ["ORG_ADMIN"] });

    await row(2).getByRole("button", { name: "Deny" }).click();
    await dialog.getByRole("button", { name: "Deny" }).click();
    await page.getByText("No open join requests.").waitFor();
  });

  test("a request that has ended meanwhile is explained, and is gone when the dialog closes", async () => {
    const { organization, domain } = await openOrganization(t, "request");
    const person = await personOf(t, { domain });
    await ask(organization, person);
    const page = await open(t, "/members/join-requests", { as: organization.admin });
    await page.getByRole("button", { name: "Approve" }).click();
    expectStatus(await person.delete(`/api/auth/organizations/${organization.id}/join`), 204);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Approve", exact: true }).click();
    await dialog.getByText("This request has ended").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("No open join requests.").waitFor();
  });

  test("the pages are accessible and fit narrow screens in Greek", async () => {
    const { organization, domain } = await openOrganization(t, "request");
    const [person, other] = [await personOf(t, { domain }), await personOf(t, { domain })];
    for (const one of [person, other, organization.admin])
      expectStatus(await one.patch("/api/profile", { language: "el" }), 200);
    await ask(organization, other);
    const looks = { language: "el", width: 320 } as const;
    const words = "Αίτημα συμμετοχής στο Acme";
    const home = await open(t, "/", { as: person, ...looks });
    await button(home, words).waitFor();
    await fits(home);
    await button(home, words).click();
    await button(home, words).waitFor({ state: "detached" });
    await fits(home);
    const page = await open(t, "/members/join-requests", { as: organization.admin, ...looks });
    await page.getByText(other.email).waitFor();
    await fits(page);
  });
});

import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { linkTo, SETUP_LINKS } from "../support/connections.ts";
import { createOrganization, type Organization } from "../support/organizations.ts";
import { expectStatus, uniqueEmail } from "../support/service.ts";
import { addDomain, connect, mapGroup } from "../support/sso.ts";
import { type Claims, SsoProvider } from "../support/sso-provider.ts";
import { freePort } from "./support/authenticators.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { fits, visit } from "./support/pages.ts";
import { focused } from "./support/waits.ts";

/* A test of a connection leads back to APP_URL, so the service listens there. */
const port = freePort();
const ORIGIN = `http://localhost:${port}`;
const t = await startConsole({ SSO: "on", APP_URL: ORIGIN, PORT: String(port) });
const provider = await SsoProvider.start();
afterEach(expectQuiet);

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

/** Makes a person sign in at the provider as soon as a page opens its authorization endpoint. */
const answer = (page: Page, claims: Claims | null) =>
  page.route(`${provider.issuer}/authorize?*`, (route) =>
    route.fulfill({ status: 302, headers: { location: provider.visit(route.request().url(), claims) } }),
  );

describe.skipIf(withoutBrowser)("connections of single sign-on", () => {
  test("one is made, tested at the provider and turned on", async () => {
    const organization = await createOrganization(t);
    const domain = `${crypto.randomUUID()}.example.com`;
    await addDomain(t, organization, domain);
    const page = await open(t, `${ORIGIN}/settings/sign-on`, { as: organization.admin });
    await answer(page, {
      sub: "grace",
      email: `grace@${domain}`,
      email_verified: true,
      given_name: "Grace",
      family_name: "Hopper",
      groups: ["engineering", "all staff"],
    });
    await press(page, "New connection");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Okta", { exact: true }).click();
    await dialog.getByText("Create App Integration").waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill("Acme");
    await dialog.getByLabel("Issuer").fill("https://login.microsoftonline.com/common/v2.0");
    await dialog.getByLabel("Client id").fill("service");
    await dialog.getByRole("textbox", { name: "Client secret" }).fill("s3cret");
    await press(page, "Create the connection");
    await says(page, "This address stands for many organizations.");
    await dialog.getByLabel("Issuer").fill(`${provider.issuer}/elsewhere`);
    await press(page, "Create the connection");
    await says(page, "No OpenID provider answers at this address.");
    await dialog.getByLabel("Issuer").fill(provider.issuer);
    await press(page, "Create the connection");
    const address = await dialog.getByLabel("Redirect address").inputValue();
    await focused(dialog.getByLabel("Redirect address"));
    expect(address).toMatch(new RegExp(`^${ORIGIN}/api/auth/sso/[0-9a-f-]{36}/callback$`));
    await axe(page);

    await dialog.getByRole("button", { name: "Test the connection" }).click();
    const result = page.getByRole("region", { name: "Result of the test" });
    await result.getByText("Person: Grace Hopper").waitFor();
    await result.getByText(`grace@${domain}, verified by the provider`).waitFor();
    await result.getByText("engineering and all staff").waitFor();
    await result.getByText("The person would not be let in.").waitFor();
    await result.getByText("the connection does not add this person").waitFor();
    await axe(page);
    await press(page, "Turn on");
    await says(page, "On");
    await page.unroute(`${provider.issuer}/authorize?*`);
    await answer(page, null);
    await page.getByRole("link", { name: "Acme", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Acme" }).waitFor();
    await press(page, "Test the connection");
    await result.getByText("The sign-in was cancelled at the provider").waitFor();
  });

  test("a group is mapped to a role after a look at who gains it, and the mapping is removed", async () => {
    const { organization, id } = await connected();
    const [one, two] = [await organization.member(), await organization.member()];
    await linkTo(t, id, one, "engineering");
    await linkTo(t, id, two, "engineering", "all staff");
    await organization.unit("Sales");
    const page = await open(t, `${ORIGIN}/settings/sign-on/${id}/groups`, { as: organization.admin });
    const seen = page.getByRole("region", { name: "Groups seen at sign-ins" });
    await seen.getByRole("cell", { name: "all staff", exact: true }).waitFor();
    await press(page, "Map the group engineering to a role");
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("combobox", { name: "Group" }).inputValue()).toBe("engineering");
    await choose(page, "Role", "Administrator");
    await dialog.getByText("Everybody in this group will be able to do everything").waitFor();
    await choose(page, "Role", "Member");
    await dialog.getByText("Everybody in this group").waitFor({ state: "detached" });
    await press(page, "Show who gains the role");
    await dialog.getByText("People who had this group at their last sign-in: 2.").waitFor();
    await dialog.getByText(`${one.email} (has it already)`).waitFor();
    await choose(page, "Where", "Sales");
    await press(page, "Show who gains the role");
    await dialog.getByText(one.email, { exact: true }).waitFor();
    await axe(page);
    await press(page, "Save the mapping");
    await dialog.waitFor({ state: "detached" });
    const mappings = page.getByRole("region", { name: "Groups that give roles" });
    await mappings.getByRole("cell", { name: "Member in Sales", exact: true }).waitFor();
    await press(page, "Map a group to a role");
    await dialog.getByRole("combobox", { name: "Group" }).fill("engineering");
    await choose(page, "Role", "Member");
    await choose(page, "Where", "Sales");
    await press(page, "Show who gains the role");
    await press(page, "Save the mapping");
    await dialog.getByText("This group gives this role here already").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await press(page, "Remove the mapping of engineering to Member in Sales");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await holdsFocus(page, "No group gives a role yet.");
  });

  test("a connection with people keeps its issuer; a person is unlinked; it is turned off and deleted", async () => {
    const { organization, id } = await connected();
    const person = await organization.member();
    await linkTo(t, id, person, "engineering");
    const page = await open(t, `${ORIGIN}/settings/sign-on/${id}`, { as: organization.admin });
    await press(page, "Edit");
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByLabel("Issuer").isDisabled()).toBe(true);
    await dialog.getByLabel("Name", { exact: true }).fill("Acme staff");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Acme staff" }).waitFor();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("combobox", { name: "People who are not members" }).selectOption("none");
    await press(page, "Add a role");
    await choose(page, "Role", "Member");
    await press(page, "Save");
    await says(page, "Saved");
    const { provisioning, defaultAssignments } = await read(organization, id);
    expect([provisioning, defaultAssignments.length]).toEqual(["none", 1]);

    await page.getByRole("link", { name: /^People/ }).click();
    await page.getByRole("cell", { name: person.email }).first().waitFor();
    await press(page, `Unlink ${person.email}`);
    await dialog.getByRole("button", { name: "Unlink" }).click();
    await holdsFocus(page, "Nobody has signed in by this connection yet.");
    await press(page, "Turn off");
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await press(page, "Turn on");
    await says(page, "Test the connection first.");
    expect((await read(organization, id)).status).toBe("DISABLED");
    await press(page, "Delete");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await says(page, "There are no connections yet.");
  });

  test("a setup link is mailed, listed and revoked", async () => {
    const organization = await createOrganization(t);
    const email = uniqueEmail();
    const page = await open(t, `${ORIGIN}/settings/sign-on`, { as: organization.admin });
    await press(page, "Send a setup link");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Email address").fill("nobody");
    await press(page, "Send");
    await says(page, "Enter an email address.");
    await dialog.getByLabel("Email address").fill(email);
    await dialog.getByRole("checkbox", { name: "Domains" }).uncheck();
    await press(page, "Send");
    await says(page, `The link was sent to ${email}.`);
    expect((await t.linkTo(email, "/sign-on-setup")).token).toMatch(/^setup_/);
    const list = page.getByRole("list", { name: "Open setup links" });
    await list.getByText(/^Connection · until/).waitFor();
    await press(page, `Revoke the link for ${email}`);
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await list.waitFor({ state: "detached" });
    expect((await organization.admin.get(SETUP_LINKS)).body.data[0].status).toBe("REVOKED");
  });

  test("whoever only reads sees no button that changes something", async () => {
    const { organization, id } = await connected();
    await linkTo(t, id, organization.admin, "engineering");
    const role = await organization.role("Auditor", "SingleSignOn.Read", "Members.Read");
    const page = await open(t, `${ORIGIN}/settings/sign-on/${id}`, {
      as: await organization.member({ role }),
    });
    await says(page, "Become members when they first sign in");
    for (const part of ["", "/groups", "/people"]) {
      await visit(page, `/settings/sign-on/${id}${part}`);
      const buttons = await page.getByRole("main").getByRole("button").allInnerTexts();
      expect(buttons.filter((text) => !/^(Copy|Group|People|Last sign-in|Address)/.test(text))).toEqual([]);
    }
    await visit(page, "/settings/sign-on");
    await page.getByRole("link", { name: "Acme", exact: true }).waitFor();
    expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
  });

  test("the pages and dialogs are accessible and fit into 320 px, in Greek", async () => {
    const { organization, id, connection } = await connected();
    const person = await organization.member();
    await linkTo(t, id, person, "a-group-with-a-name-that-is-longer-than-the-window-of-a-phone");
    await mapGroup(t, connection, "engineering", await organization.role("Reader", "Units.Read"));
    await t.sql(
      `UPDATE sso_connections SET last_error_code = 'CLIENT_REFUSED', last_error_at = now(), last_error_detail = 'x',
         client_secret_expires_at = now() + interval '3 days' WHERE id = $1`,
      [id],
    );
    const link = { email: uniqueEmail(), what: ["domains", "connection"] };
    expectStatus(await organization.admin.post(SETUP_LINKS, link), 201);
    expectStatus(await organization.admin.patch("/api/profile", { language: "el" }), 200);
    const path = `${ORIGIN}/settings/sign-on`;
    const page = await open(t, path, { as: organization.admin, language: "el", width: 320 });
    await fits(page);
    for (const label of ["Νέα σύνδεση", "Αποστολή συνδέσμου ρύθμισης"]) await fitsDialog(label);
    for (const part of ["", "/groups", "/people"]) {
      await visit(page, `/settings/sign-on/${id}${part}`);
      await fits(page);
      if (part === "/groups") await fitsDialog("Αντιστοίχιση ομάδας με ρόλο");
    }

    /** Opens a dialog with all its fields, checks it, and closes it. */
    async function fitsDialog(label: string) {
      await press(page, label);
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox").or(dialog.getByRole("combobox")).first().waitFor();
      for (const details of await dialog.locator("summary").all()) await details.click();
      await fits(page);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
  });
});

/** Makes an organization with a connection that is on. */
async function connected() {
  const organization = await createOrganization(t);
  const connection = await connect(t, organization, provider);
  return { organization, connection, id: connection.id };
}

const read = async ({ admin }: Organization, id: string) =>
  expectStatus(await admin.get(`/api/organization/connections/${id}`), 200).body;

/** Waits until the list with this text has the focus, after its row with the focus was removed. */
const holdsFocus = (page: Page, text: string) => focused(page.locator("[tabindex='-1']", { hasText: text }));

async function choose(page: Page, field: string, option: string) {
  await page.getByRole("combobox", { name: field, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

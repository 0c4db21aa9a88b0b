import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { createEndpoint, deliver, startReceiver } from "../support/webhooks.ts";
import { expectQuiet, open, sharedConsole, withoutBrowser } from "./support/browser.ts";
import { expectSoon, focused, searchIs } from "./support/waits.ts";

const t = await sharedConsole();
const receiver = startReceiver();
afterAll(() => receiver.stop());
afterEach(expectQuiet);

describe.skipIf(withoutBrowser)("the pages of webhooks", () => {
  test("a webhook is created; its secret is shown once, also after it is replaced", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/", { as: admin });
    await page.getByRole("navigation").getByRole("link", { name: "Webhooks", exact: true }).first().click();
    await page.getByText("There are no webhooks.").waitFor();
    await page.getByRole("link", { name: "New webhook" }).click();
    await page.getByLabel("Address").fill(receiver.url);
    await page.getByRole("combobox", { name: "Event types" }).click();
    await page.getByRole("option", { name: "unit.created", exact: true }).click();
    expect(await page.getByRole("option", { name: "webhook.test" }).count()).toBe(0);
    await page.getByRole("combobox", { name: "Event types" }).press("Escape");
    await page.getByRole("button", { name: "New webhook" }).click();
    const field = page.getByRole("textbox", { name: "Secret", exact: true });
    const secret = await field.inputValue();
    expect(secret).toMatch(/^whsec_/);
    // The dialog with the secret closes only by its button.
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "I have stored the secret" }).click();
    await field.waitFor({ state: "detached" });
    await page.getByRole("heading", { level: 1, name: new URL(receiver.url).host }).waitFor();
    await page.getByText("Event types: unit.created").waitFor();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole("button", { name: "Replace secret" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replace secret" }).click();
    const next = await field.inputValue();
    expect(next).toMatch(/^whsec_/);
    expect(next).not.toBe(secret);
    await page.getByRole("button", { name: "I have stored the secret" }).click();
    await field.waitFor({ state: "detached" });
    await page.reload();
    await page.getByText("There are no deliveries.").waitFor();
    expect(await page.content()).not.toContain(next);
  });

  test("a test delivery is listed with its response, and is sent again", async () => {
    const { admin } = await createOrganization(t);
    const { id } = await createEndpoint(admin, `${receiver.url}/test`);
    const sent = () => receiver.received.filter(({ path }) => path === "/hook/test").length;
    const page = await open(t, `/webhooks/${id}`, { as: admin });
    await page.getByRole("button", { name: "Send test" }).click();
    await page.getByRole("cell", { name: "Pending" }).waitFor();
    await page.getByRole("cell", { name: "webhook.test", exact: true }).waitFor();
    await deliver(t);
    await page.getByRole("cell", { name: "Succeeded" }).waitFor();
    await page.getByRole("cell", { name: "200", exact: true }).waitFor();
    expect(sent()).toBe(1);
    const response = page.waitForResponse("**/resend");
    await page.getByRole("button", { name: /^Actions for webhook.test/ }).click();
    await page.getByRole("menuitem", { name: "Send again" }).click();
    await response;
    await deliver(t);
    await page.getByRole("cell", { name: "2", exact: true }).waitFor();
    expect(sent()).toBe(2);

    await page.getByRole("button", { name: /^Actions for webhook.test/ }).click();
    await page.getByRole("menuitem", { name: "Details" }).click();
    const dialog = page.getByRole("dialog", { name: "Details" });
    await dialog.getByRole("heading", { name: /^Attempt 2 .* 200$/ }).waitFor();
    await expectSoon(
      () => dialog.getByRole("region", { name: "Response body" }).allInnerTexts(),
      ["ok", "ok"],
    );
    await dialog.getByRole("region", { name: "What is sent" }).getByText('"webhook.test"').waitFor();
    await page.reload();
    await dialog.getByRole("heading", { name: /^Attempt 1 / }).waitFor();
  });

  test("address, types and description are changed; what a disabled webhook missed is recovered", async () => {
    const { admin } = await createOrganization(t);
    const { id, path } = await createEndpoint(admin, `${receiver.url}/old`);
    expectStatus(await admin.patch(path, { enabled: false }), 200);
    expectStatus(await admin.post("/api/todos", { title: "Missed" }), 201);
    await deliver(t);
    const page = await open(t, `/webhooks/${id}`, { as: admin });
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address").fill("not an address");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.locator("[aria-invalid=true]").waitFor();
    await dialog.getByLabel("Address").fill(`${receiver.url}/new`);
    await dialog.getByLabel("Description").fill("Warehouse");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText(`${receiver.url}/new`).waitFor();
    await page.getByText("Warehouse").waitFor();
    await page.getByRole("button", { name: "Recover missed events" }).click();
    await dialog.getByRole("button", { name: "Recover missed events" }).click();
    await page.getByText("Deliveries that are now pending: 1").waitFor();
    await deliver(t);
    await page.getByRole("cell", { name: "Succeeded" }).waitFor();
    expect(receiver.received.filter(({ path: to }) => to === "/hook/new")).toHaveLength(1);
  });

  test("deliveries are filtered by state, and their outcomes are drawn over time", async () => {
    const { admin } = await createOrganization(t);
    const { id } = await createEndpoint(admin, `${receiver.url}/plotted`);
    for (const title of ["One", "Two"]) await admin.post("/api/todos", { title });
    await deliver(t);
    await t.sql(
      "UPDATE webhook_deliveries SET state = 'FAILED' WHERE id = (SELECT max(id::text)::uuid FROM webhook_deliveries WHERE endpoint_id = $1)",
      [id],
    );
    const page = await open(t, `/webhooks/${id}`, { as: admin });
    const drawn = page.getByRole("table", { name: "The newest deliveries: 2" }).getByRole("cell");
    await drawn.first().waitFor({ state: "attached" });
    expect((await drawn.allTextContents()).filter((count) => count === "1")).toHaveLength(2);
    await page.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: "Failed" }).click();
    const list = page.getByRole("region", { name: "List of deliveries" });
    await list.getByRole("row").nth(2).waitFor({ state: "detached" });
    await list.getByRole("cell", { name: "Failed" }).waitFor();
    await searchIs(page, "state", "FAILED");
  });

  test("events are listed with their content, and filtered by type and record", async () => {
    const { admin } = await createOrganization(t);
    for (const title of ["One", "Two"]) expectStatus(await admin.post("/api/todos", { title }), 201);
    expectStatus(await admin.post("/api/units", { name: "North", parentId: null }), 201);
    await deliver(t);
    const page = await open(t, "/webhooks", { as: admin });
    await page.getByRole("link", { name: "Events", exact: true }).click();
    const list = page.getByRole("region", { name: "List of events" });
    await list.getByRole("cell", { name: "unit.created" }).waitFor();
    await page.getByRole("combobox", { name: "Event type" }).fill("todo.created");
    await page.getByRole("option", { name: "todo.created" }).click();
    await list.getByRole("cell", { name: "unit.created" }).waitFor({ state: "detached" });
    await list.getByRole("cell", { name: "todo.created" }).nth(1).waitFor();
    await list
      .getByRole("button", { name: /^Details of event/ })
      .first()
      .click();
    const dialog = page.getByRole("dialog", { name: "todo.created" });
    await dialog.getByRole("region").filter({ hasText: '"title": "One"' }).waitFor();
    await dialog.getByRole("button", { name: "Only events of this record" }).click();
    await list.getByRole("row").nth(2).waitFor({ state: "detached" });
  });

  test("a removed filter of deliveries or events leaves the focus at the filters", async () => {
    const { admin } = await createOrganization(t);
    const { id } = await createEndpoint(admin, `${receiver.url}/focus`);
    expectStatus(await admin.post("/api/todos", { title: "One" }), 201);
    await deliver(t);
    const page = await open(t, `/webhooks/${id}?state=FAILED&type=todo.created`, { as: admin });
    const chips = page.getByRole("group", { name: "Active filters" });
    const list = page.getByRole("region", { name: "List of deliveries" });
    await page.getByText("Nothing found").waitFor();
    await chips.getByRole("button", { name: "Remove the filter State: Failed" }).focus();
    await page.keyboard.press("Enter");
    await list.getByRole("cell", { name: "todo.created", exact: true }).waitFor();
    await focused(chips);
    await page.keyboard.press("Tab");
    await focused(chips.getByRole("button", { name: "Remove the filter Event type: todo.created" }));

    const record = crypto.randomUUID();
    await page.goto(new URL(`/events?type=todo.created&record=${record}`, page.url()).href);
    await page.getByText("Nothing found").waitFor();
    await chips.getByRole("button", { name: `Remove the filter Id of a record: ${record}` }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "List of events" }).getByRole("row").nth(1).waitFor();
    await focused(chips);
    await expectSoon(() => page.getByRole("textbox", { name: "Id of a record" }).inputValue(), "");
  });

  test("older deliveries are on the next page", async () => {
    const { admin } = await createOrganization(t);
    const endpoint = await createEndpoint(admin, `${receiver.url}/many`);
    for (let count = 0; count < 21; count++) await admin.post("/api/todos", { title: `Todo ${count}` });
    await deliver(t);
    const page = await open(t, `/webhooks/${endpoint.id}`, { as: admin });
    const rows = page.getByRole("cell", { name: "todo.created", exact: true });
    await page.getByRole("button", { name: "Older" }).click();
    await page.getByRole("button", { name: "Older" }).waitFor({ state: "detached" });
    await expectSoon(() => rows.count(), 1);
    await page.getByRole("button", { name: "Newer" }).click();
    await page.getByRole("button", { name: "Older" }).waitFor();
    await expectSoon(() => rows.count(), 20);
  });

  test("the links of the home page lead to a failing webhook, which is disabled, enabled and deleted", async () => {
    const { admin } = await createOrganization(t);
    const { id } = await createEndpoint(admin, receiver.url);
    await t.sql("UPDATE webhook_endpoints SET failing_since = now() WHERE id = $1", [id]);
    const page = await open(t, "/", { as: admin });
    await page.getByRole("link", { name: "Show webhooks" }).click();
    const link = page.getByRole("link", { name: receiver.url });
    // Mails and notifications link to the same address.
    expect(await link.getAttribute("href")).toBe(`/webhooks/${id}`);
    await link.click();
    await page.getByText("Failing since").waitFor();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await page.getByText("Somebody disabled it.").waitFor();
    await page.getByRole("button", { name: "Send test" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByRole("button", { name: "Send test" }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("There are no webhooks.").waitFor();
  });

  test("a role that only sees webhooks offers no action; a role without them shows no link", async () => {
    const organization = await createOrganization(t);
    const { id } = await createEndpoint(organization.admin, receiver.url);
    const reader = await organization.member({ role: await organization.role("Hooks", "Webhooks.Read") });
    const page = await open(t, `/webhooks/${id}`, { as: reader });
    await page.getByText("There are no deliveries.").waitFor();
    expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
    const other = await open(t, "/webhooks", { as: await organization.member() });
    await other.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
    await other.getByRole("navigation").first().waitFor();
    expect(await other.getByRole("navigation").getByRole("link", { name: "Webhooks" }).count()).toBe(0);
  });
});

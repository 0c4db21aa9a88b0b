import { afterEach, describe, expect, test } from "bun:test";
import { version } from "../../package.json" with { type: "json" };
import { ORGANIZATION_TICKETS, report } from "../support/helpdesk.ts";
import { pngWith } from "../support/images.ts";
import { createOrganization } from "../support/organizations.ts";
import { idOf } from "../support/outcomes.ts";
import { expectStatus } from "../support/service.ts";
import { ownStorage } from "../support/storage.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { expectSoon } from "./support/waits.ts";

const t = await startConsole((await ownStorage()).environment);
afterEach(expectQuiet);
const HOSTILE = '<img src=x onerror="alert(1)">';

describe.skipIf(withoutBrowser)("the helpdesk", () => {
  test("a member reports a problem with a screenshot, staff reply and add a note, and the member closes it", async () => {
    const org = await createOrganization(t);
    const member = await org.member({ role: "MEMBER" });
    const page = await open(t, "/todos", { as: member });
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByRole("link", { name: "My tickets" }).first().click();
    await page.getByText("You have not reported anything yet.").waitFor();
    await axe(page);
    await page.getByRole("link", { name: "Report a problem" }).click();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByLabel("Subject").and(page.locator('[aria-invalid="true"]')).waitFor();
    await page.getByLabel("Subject").fill(HOSTILE);
    await page.getByLabel("Message").fill("The list\nstays empty");
    const file = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.from(pngWith()) });
    await page.locator('input[type="file"]').setInputFiles([file("one.png"), file("two.png")]);
    await page.getByRole("button", { name: "Remove two.png" }).click();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("heading", { name: HOSTILE }).waitFor();
    const [sent] = await t.sql("SELECT page_path, app_version FROM tickets WHERE subject = $1", [HOSTILE]);
    expect(sent).toEqual({ page_path: "/todos", app_version: version });
    await page.getByRole("button", { name: "Show one.png" }).click();
    await page.getByRole("dialog").getByRole("img", { name: "one.png" }).waitFor();
    await page.getByRole("button", { name: "Close the image" }).click();

    expectStatus(await org.admin.patch("/api/profile", { language: "el" }), 200);
    const staff = await open(t, "/helpdesk/tickets", { as: org.admin, language: "el", colorScheme: "dark" });
    await staff.getByRole("link", { name: HOSTILE }).waitFor();
    await axe(staff);
    await staff.getByRole("link", { name: HOSTILE }).click();
    await staff.getByLabel("Μήνυμα").fill("A note for us");
    await staff.getByLabel("Εσωτερική σημείωση").check();
    await staff.getByRole("button", { name: "Αποθήκευση σημείωσης" }).click();
    await staff.getByText("A note for us", { exact: true }).and(staff.locator("p")).waitFor();
    await staff.getByRole("button", { name: "Αποστολή", exact: true }).waitFor();
    await staff.getByLabel("Μήνυμα").fill("It is mended");
    await staff.getByRole("button", { name: "Αποστολή" }).click();
    await staff.getByText("It is mended", { exact: true }).and(staff.locator("p")).waitFor();
    await axe(staff);

    await page.reload();
    await page.getByText("It is mended").waitFor();
    expect(await page.getByText("A note for us").count()).toBe(0);
    await axe(page);
    await page.getByRole("button", { name: "Close ticket" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Close ticket" }).click();
    await page.getByText("This ticket is closed.").waitFor();
  });

  test("a report whose image is refused keeps all entered values, and shows the error at the images", async () => {
    const page = await open(t, "/support/tickets/new", { as: await t.person(), width: 375 });
    await page.getByLabel("Subject").fill("A subject");
    const file = (name: string, content: Uint8Array | string) => ({
      name,
      mimeType: "image/png",
      buffer: Buffer.from(content),
    });
    await page
      .locator('input[type="file"]')
      .setInputFiles([file("a.png", "no image"), file("b.png", pngWith())]);
    // Systems also give other names of the accepted types to files.
    for (const mimeType of ["image/apng", "image/jpg", "image/x-png"]) {
      await page.locator('input[type="file"]').setInputFiles({ ...file("c.png", pngWith()), mimeType });
      await page.getByRole("button", { name: "Remove c.png" }).click();
    }
    // A file of another type is refused at once, by its name.
    const chooser = page.locator('input[type="file"]');
    const alert = page.getByRole("alert");
    for (const [name, mimeType, type] of [
      ["IMG_0001.HEIC", "image/heic", "HEIC"],
      ["IMG_0002.heic", "", "HEIC"],
      ["scan.tiff", "image/tiff", "TIFF"],
      ["logo.svg", "image/svg+xml", "SVG"],
      ["letter.pdf", "application/pdf", "PDF"],
    ] as const) {
      await chooser.setInputFiles({ name, mimeType, buffer: Buffer.from("x") });
      const refusal = `${type} is not supported. Choose PNG, JPEG, WebP or GIF.`;
      await alert.filter({ hasText: refusal }).waitFor();
    }
    expect(
      await page
        .getByRole("listitem")
        .filter({ hasText: /HEIC|tiff|svg|pdf/ })
        .count(),
    ).toBe(0);
    // The file that is no image is marked, before and after it is sent.
    const marked = page.getByRole("listitem").filter({ hasText: "This file is not an image." });
    await marked.getByText("a.png").waitFor();
    expect(await marked.count()).toBe(1);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Images of this kind are not accepted.").waitFor();
    expect(await page.getByLabel("Subject").inputValue()).toBe("A subject");
    await page.getByRole("button", { name: "Remove a.png" }).waitFor();
    await axe(page);
  });
});

describe.skipIf(withoutBrowser)("a long ticket", () => {
  test("earlier messages are loaded by a button, and stay visible when new ones arrive", async () => {
    const reporter = await t.person();
    const { id } = await report(reporter);
    await t.sql(
      `INSERT INTO ticket_messages (ticket_id, author_id, body, created_at)
       SELECT $1, $2, 'message ' || n, now() + n * interval '1 millisecond' FROM generate_series(1, 249) n`,
      [id, idOf(reporter)],
    );
    const page = await open(t, `/support/tickets/${id}`, { as: reporter });
    const shown = () => page.locator("ol.messages > li").count();
    const earlier = page.getByRole("button", { name: "Load earlier messages" });
    await page.getByText("message 150", { exact: true }).waitFor();
    await expectSoon(
      async () => [await shown(), await earlier.textContent()],
      [100, "Load earlier messages (150)"],
    );
    await axe(page);
    await earlier.click();
    await page.getByText("message 50", { exact: true }).waitFor();
    await expectSoon(
      async () => [await shown(), await earlier.textContent()],
      [200, "Load earlier messages (50)"],
    );
    await page.getByLabel("Message", { exact: true }).fill("The newest of all");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("The newest of all", { exact: true }).and(page.locator("p")).waitFor();
    await expectSoon(shown, 201);
    await earlier.click();
    await page.getByText("Since this morning.").waitFor();
    await expectSoon(async () => [await shown(), await earlier.count()], [251, 0]);
  });
});

describe.skipIf(withoutBrowser)("a draft", () => {
  test("of a reply or a note survives leaving the ticket and a reload, until it is sent or the user signs out", async () => {
    const { admin } = await createOrganization(t);
    const [first, second] = [await report(admin), await report(admin)];
    const page = await open(t, `/helpdesk/tickets/${first.id}`, { as: admin });
    const message = page.getByLabel("Message", { exact: true });
    await page.getByText("Internal note", { exact: true }).click();
    await message.fill("Only for us");
    await page.getByRole("link", { name: "Back to the list" }).click();
    await page.getByRole("link", { name: "The list stays empty" }).first().waitFor();
    await page.goto(`/helpdesk/tickets/${second.id}`);
    await message.waitFor();
    expect(await message.inputValue()).toBe("");
    await page.goto(`/helpdesk/tickets/${first.id}`);
    await page.getByRole("button", { name: "Save note" }).waitFor();
    await expectSoon(() => message.inputValue(), "Only for us");
    await page.getByRole("button", { name: "Save note" }).click();
    await page.getByText("Only for us", { exact: true }).and(page.locator("p")).waitFor();
    await page.reload();
    await message.fill("Not sent");
    const stored = () =>
      page.evaluate("Object.keys(sessionStorage).filter((key) => key.startsWith('draft:'))");
    await expectSoon(stored, [expect.any(String)]);
    await page.getByRole("button", { name: "Ada Lovelace" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await expectSoon(stored, []);
  });
});

describe.skipIf(withoutBrowser)("the helpdesk overview", () => {
  test("counts link to the lists that they equal, and arrow keys read the hours in which tickets are opened", async () => {
    const { admin } = await createOrganization(t);
    await report(admin, { category: "BUG" });
    const second = await report(admin, { category: "BUG" });
    const third = await report(admin, { category: "ACCOUNT" });
    const setStatus = (id: string, status: string) =>
      admin.patch(`${ORGANIZATION_TICKETS}/${id}`, { status });
    expectStatus(await setStatus(second.id, "IN_PROGRESS"), 200);
    expectStatus(await setStatus(third.id, "RESOLVED"), 200);
    const page = await open(t, "/helpdesk/tickets", { as: admin });
    await page.getByRole("navigation").getByRole("link", { name: "Inbox 2" }).waitFor();
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    for (const [link, count] of [
      ["Unresolved now", 2],
      ["Bug", 2],
      ["Resolved", 1],
    ] as const) {
      const counted = page
        .locator(".figure, .meter")
        .filter({ has: page.getByRole("link", { name: link, exact: true }) });
      await expectSoon(() => counted.textContent(), `${link}${count}`);
      await page.getByRole("link", { name: link, exact: true }).click();
      await page.waitForURL((url) => url.pathname === "/helpdesk/tickets");
      // One further row is the header.
      await expectSoon(() => page.getByRole("row").count(), count + 1);
      await page.goBack();
    }
    const hours = page.getByRole("group", { name: /^When tickets are opened/ });
    const all = page.getByRole("table", { name: "When tickets are opened" }).getByRole("cell");
    const total = async () => {
      const counts = (await all.allInnerTexts()).map((text) => Number(text.replace("Tickets: ", "")));
      return counts.reduce((sum, count) => sum + count, 0);
    };
    await expectSoon(total, 3);
    await hours.focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
    expect(await page.getByRole("status").filter({ hasText: "Tue 01:00" }).textContent()).toMatch(/: \d$/);
  });
});

describe.skipIf(withoutBrowser)("the platform's pages", () => {
  test("a platform administrator finds an organization, acts on it under a visible banner, and suspends it", async () => {
    const org = await createOrganization(t);
    const admin = await t.platformAdmin();
    const name = `Acme ${HOSTILE}`;
    expectStatus(await admin.patch(`/api/organizations/${org.id}`, { name }), 200);
    const page = await open(t, "/platform/organizations", { as: admin });
    await page.getByRole("link", { name }).first().waitFor();
    await page.getByLabel("Search").fill("Acme");
    await page.waitForURL((url) => url.searchParams.get("search") === "Acme");
    await page.getByRole("link", { name }).first().click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await page.getByRole("button", { name: "Open as administrator" }).click();
    await page.getByText(`You have opened ${name}`).waitFor();
    await page.reload();
    await page.getByText(`You have opened ${name}`).waitFor();
    await page.getByRole("link", { name: "Inbox", exact: true }).click();
    await page.getByText("There are no tickets.").waitFor();
    await page.getByRole("button", { name: "Exit" }).click();
    await page.getByRole("heading", { name: "Organizations", level: 1 }).waitFor();
    await page.getByText("You have opened").waitFor({ state: "detached" });
    await page.getByRole("link", { name }).first().click();
    await page.getByRole("button", { name: "Suspend" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText("Suspended", { exact: true }).first().waitFor();
    const { body } = expectStatus(await admin.get(`/api/organizations/${org.id}`), 200);
    expect(body.status).toBe("SUSPENDED");
  });

  test("the lists of users and audit events work in Greek and in the dark theme", async () => {
    const admin = await t.platformAdmin();
    expectStatus(await admin.patch("/api/profile", { language: "el" }), 200);
    const page = await open(t, "/platform/users", { as: admin, language: "el", colorScheme: "dark" });
    await page.getByRole("link", { name: "Ada Lovelace" }).first().waitFor();
    await page.goto("/platform/audit");
    await page
      .getByRole("button", { name: /^Λεπτομέρειες: Συνδέθηκε/ })
      .first()
      .waitFor();
    await page.goto(`/platform/users/${idOf(await t.person())}`);
    await page.getByRole("heading", { level: 1, name: "Ada Lovelace" }).waitFor();
  });
});

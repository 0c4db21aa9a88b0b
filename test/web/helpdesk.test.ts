import { afterEach, describe, expect, test } from "bun:test";
import { version } from "../../package.json" with { type: "json" };
import { ORGANIZATION_TICKETS, report } from "../support/helpdesk.ts";
import { pngWith } from "../support/images.ts";
import { createOrganization } from "../support/organizations.ts";
import { idOf } from "../support/outcomes.ts";
import { expectStatus } from "../support/service.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, sharedConsole, withoutBrowser } from "./support/browser.ts";
import { button, link, press, tabTo, type } from "./support/keyboard.ts";
import { expectSoon, focusWithin } from "./support/waits.ts";

const t = await sharedConsole();
afterEach(expectQuiet);
const HOSTILE = '<img src=x onerror="alert(1)">';

describe.skipIf(withoutBrowser)("the helpdesk", () => {
  test("a member reports a problem with an image, staff write a note, reply and resolve in one step, by keyboard alone; the member opens the news of it and closes the ticket", async () => {
    const org = await createOrganization(t);
    const member = await org.member({ role: "MEMBER" });
    const page = await open(t, "/todos", { as: member });
    await page.getByRole("heading", { level: 1 }).waitFor();
    await press(page, link(page, "My tickets").first());
    await page.getByText("You have not reported anything yet.").waitFor();
    await axe(page);
    await press(page, link(page, "Report a problem"));
    await press(page, button(page, "Send"));
    await page.getByLabel("Subject").and(page.locator('[aria-invalid="true"]')).waitFor();
    await type(page, page.getByLabel("Subject"), HOSTILE);
    await type(page, page.getByLabel("Message"), "The list\nstays empty");
    const chooser = page.waitForEvent("filechooser");
    await press(page, button(page, "Add images"));
    const file = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.from(pngWith()) });
    await (await chooser).setFiles([file("one.png"), file("two.png")]);
    await press(page, button(page, "Remove two.png"));
    await press(page, button(page, "Send"));
    await page.getByRole("heading", { name: HOSTILE }).waitFor();
    const [sent] = await t.sql(
      "SELECT page_path, app_version FROM tickets WHERE subject = $1 AND organization_id = $2",
      [HOSTILE, org.id],
    );
    expect(sent).toEqual({ page_path: "/todos", app_version: version });
    await press(page, button(page, "Show one.png"));
    await page.getByRole("dialog").getByRole("img", { name: "one.png" }).waitFor();
    await page.getByRole("button", { name: "Close the image" }).click();

    const staff = await open(t, "/helpdesk/tickets", { as: org.admin });
    await press(staff, link(staff, HOSTILE));
    await staff.getByRole("heading", { name: HOSTILE }).waitFor();
    const message = staff.getByLabel("Message", { exact: true });
    await tabTo(staff, staff.getByRole("radio", { name: "Reply" }));
    await staff.keyboard.press("ArrowRight");
    await type(staff, message, "A note for us");
    await staff.keyboard.press("Control+Enter");
    await staff.getByText("A note for us", { exact: true }).and(staff.locator("p")).waitFor();
    await axe(staff);
    await type(staff, message, "It is mended");
    await press(staff, button(staff, "Send and resolve"));
    await staff.getByText("Ada Lovelace set the status to Resolved").waitFor();
    await staff.getByRole("link", { name: "Inbox" }).click();
    await staff.getByRole("button", { name: /^Resolved/ }).click();
    await staff.getByRole("link", { name: HOSTILE }).waitFor();

    await page.goto("/");
    await press(page, button(page, /^Notifications, \d+ unread$/));
    const news = page.getByRole("dialog").getByRole("button", { name: /reply to your ticket/ });
    await news.waitFor();
    await focusWithin(page.getByRole("dialog"));
    await press(page, news);
    await page.getByText("It is mended", { exact: true }).waitFor();
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

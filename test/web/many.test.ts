import { afterEach, describe, expect, test } from "bun:test";
import { toCsv } from "../../src/web/lib/csv.ts";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, sharedConsole, withoutBrowser } from "./support/browser.ts";
import { settled } from "./support/pages.ts";
import { expectSoon } from "./support/waits.ts";

const t = await sharedConsole();
afterEach(expectQuiet);

test("cells that a spreadsheet would take for a formula are saved as text", () => {
  for (const formula of ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1"])
    expect(toCsv([[formula]])).not.toMatch(/(^|")\s*[=+\-@]/);
  // With the semicolon as delimiter, as in Greece, a quoted cell does not end at the comma.
  for (const text of ["Ada;=1+1", 'Ada; "=1+1"', "Ada;\t-1", "Ada\n@SUM(1)"])
    expect(toCsv([["a", text]])).not.toMatch(/[;\n]["\s]*[=+\-@]/);
  expect(toCsv([["a;b", "c-d; e"]])).toContain('"a;b","c-d; e"');
});

describe.skipIf(withoutBrowser)("many at once", () => {
  test("a pasted table is checked, shows why rows are refused, and invites the others", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/invitations/many", { as: admin });
    const good = [`a-${crypto.randomUUID()}@example.com`, `b-${crypto.randomUUID()}@example.com`];
    const table = `Email;Role\n${good[0]};MEMBER\n${good[1]};ORG_ADMIN\nwrong;MEMBER\n${admin.email};MEMBER\n${good[0]};MEMBER`;
    const many = Array.from({ length: 5_000 }, (_, index) => `p-${index}@example.com;"MEMBER"\r\n`);
    for (const mark of ["\ufeff", ""]) {
      const buffer = Buffer.from(`${mark}Email;Role\r\n${many.join("")}`, "utf16le");
      await page
        .locator('input[type="file"]')
        .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer });
      await page.getByText(/Rows: 5[,.]?000/).waitFor();
      await page.getByLabel("List or table").fill("");
    }
    await page.getByLabel("List or table").fill(table);
    await page.getByText("Rows: 5").waitFor();
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByText("Can be invited: 2").waitFor();
    await page.getByText("Refused: 3").waitFor();
    await page.getByText("There is no email address in this row.").waitFor();
    await settled(page);
    await axe(page);
    expect(expectStatus(await admin.get("/api/members/invitations"), 200).body.total).toBe(0);
    await page.getByRole("button", { name: "Invite 2 people" }).click();
    await page.getByText("Invited: 2").waitFor();
    const { body } = await admin.get("/api/members/invitations");
    expect(body.data.map(({ email }: { email: string }) => email).sort()).toEqual(good.toSorted());
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save refused rows" }).click();
    const csv = await Bun.file(await (await download).path()).text();
    expect(csv).toContain("wrong");
    expect(csv).not.toContain(good[1] ?? "");
  });

  test("indented lines and paths become a tree that is shown before it is created", async () => {
    const { admin } = await createOrganization(t);
    expectStatus(await admin.post("/api/units", { name: "Europe", parentId: null }), 201);
    const page = await open(t, "/units/import", { as: admin, width: 320 });
    await page
      .getByRole("textbox", { name: "Units" })
      .fill("Europe\n  Athens\n    Harbour\nAmerica > Boston");
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByText("Units to create: 4").waitFor();
    await settled(page);
    await axe(page);
    await page.getByRole("button", { name: "Create 4 units" }).click();
    await page.getByText("Units created: 4").waitFor();
    await expectSoon(
      async () => (await admin.get("/api/units")).body.data.map(({ name }: { name: string }) => name).sort(),
      ["America", "Athens", "Boston", "Europe", "Harbour"],
    );
  });
});

import { afterEach, describe, expect, test } from "bun:test";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, sharedConsole, withoutBrowser } from "./support/browser.ts";

const t = await sharedConsole();
afterEach(expectQuiet);

describe.skipIf(withoutBrowser)("todos", () => {
  test("todos are filtered by whether they are done, and the filter survives a reload", async () => {
    const { admin } = await createOrganization(t);
    for (const title of ["Open one", "Done one"])
      expectStatus(await admin.post("/api/todos", { title }), 201);
    const page = await open(t, "/todos", { as: admin });
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("Open one").waitFor();
    await page.getByLabel("Done: Done one").click();
    // Not `check()`: the choice is shown when the address has it, which may be later than `check()` looks.
    await page.getByRole("radio", { name: "Open", exact: true }).click();
    await row("Done one").waitFor({ state: "detached" });
    await row("Open one").waitFor();
    await page.getByRole("radio", { name: "Done", exact: true }).click();
    await row("Open one").waitFor({ state: "detached" });
    await page.reload();
    await row("Done one").waitFor();
    expect(await row("Open one").count()).toBe(0);
    await axe(page);
  });

  test("an administrator filters all todos by unit and by member, and the filter survives a reload", async () => {
    const org = await createOrganization(t);
    const [inside, outside] = [await org.member({ role: "MEMBER" }), await org.member({ role: "MEMBER" })];
    await org.link(inside, await org.unit("Sales"));
    for (const who of [inside, outside])
      expectStatus(
        await who.post("/api/todos", { title: `Of ${who === inside ? "Sales" : "another"}` }),
        201,
      );
    expectStatus(await org.admin.patch("/api/profile", { language: "el" }), 200);
    const page = await open(t, "/todos/all", { as: org.admin, colorScheme: "dark" });
    await page.getByRole("cell", { name: "Of another", exact: true }).waitFor();
    await page.getByRole("combobox", { name: "Μονάδα" }).click();
    await page.getByRole("option", { name: "Sales" }).click();
    await page.getByRole("cell", { name: "Of another", exact: true }).waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("cell", { name: "Of Sales", exact: true }).waitFor();
    expect(await page.getByRole("cell", { name: "Of another", exact: true }).count()).toBe(0);
    // Choosing the selected unit again clears the filter.
    await page.getByRole("combobox", { name: "Μονάδα" }).click();
    await page.getByRole("option", { name: "Sales" }).click();
    await page.getByRole("cell", { name: "Of another", exact: true }).waitFor();
    // Search in the field asks the API, so that members after the first page are found too.
    await page.getByRole("combobox", { name: "Μέλος" }).fill(outside.email);
    await page.getByRole("option", { name: `Ada Lovelace · ${outside.email}` }).click();
    await page.getByRole("cell", { name: "Of Sales", exact: true }).waitFor({ state: "detached" });
    await page.getByRole("cell", { name: "Of another", exact: true }).waitFor();
  });
});

import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { report } from "../support/helpdesk.ts";
import { invited } from "../support/invitations.ts";
import { createOrganization, userIdOf } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { ownStorage } from "../support/storage.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { routePaths, settled, visit } from "./support/pages.ts";

const t = await startConsole((await ownStorage()).environment);
afterEach(expectQuiet);

/** Looked at by nobody, by an administrator of an organization, and by one of the platform. */
const OUTSIDE =
  /^\/(sign-in|register|verify-email|forgot-password|reset-password|accept-invitation|auth\/callback|two-factor)$/;
const isPlatform = (path: string) => path.startsWith("/platform/");
const isOutside = (path: string) => OUTSIDE.test(path);

/** Something on every page. */
async function furnished() {
  const organization = await createOrganization(t);
  const { admin } = organization;
  const unit = await organization.unit("North");
  const roleId = await organization.role("Gardener", "Members.Read", "Units.Read");
  const member = await organization.member({ role: "UNIT_ADMIN", unit });
  const [userId, own, of] = [await userIdOf(t, member), await report(admin), await report(member)];
  const invitation = await invited(t, admin);
  expectStatus(await admin.post("/api/todos", { title: "Water the plants" }), 201);
  /** What stands for the parameters of a path, and further addresses of it. */
  const addresses: Record<string, readonly string[]> = {
    "/support/tickets/$id": [`/support/tickets/${own.id}`],
    "/helpdesk/tickets/$id": [`/helpdesk/tickets/${of.id}`],
    "/platform/tickets/$id": [`/platform/tickets/${of.id}`],
    "/platform/organizations/$id": [`/platform/organizations/${organization.id}`],
    "/platform/users/$id": [`/platform/users/${userId}`],
    "/members/$userId": [`/members/${userId}`],
    "/members/$userId/access": [`/members/${userId}/access?permission=Units.Read&unit=${unit}`],
    "/roles/$roleId": [`/roles/${roleId}`, "/roles/new"],
    "/units": [`/units?unit=${unit}`],
    "/accept-invitation": [`/accept-invitation?token=${invitation.token}`, "/accept-invitation?token=x"],
    "/auth/callback": ["/auth/callback#error=ACCESS_DENIED"],
    "/reset-password": ["/reset-password?token=x"],
  };
  function addressesOf(path: string): readonly string[] {
    const known = addresses[path];
    if (known === undefined && path.includes("$"))
      throw new Error(`Nothing stands for the parameter of ${path}`);
    return known ?? [path];
  }
  return { admin, addressesOf };
}

/** Every page has a heading, breaks no rule of axe, in both themes, and is no wider than the window. */
async function look(page: Page, width: number) {
  await settled(page);
  expect(await page.locator("h1").count()).toBe(1);
  await axe(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await axe(page, ["color-contrast"]);
  await page.emulateMedia({ colorScheme: "light" });
  expect([page.url(), await page.evaluate("document.documentElement.scrollWidth")]).toEqual([
    page.url(),
    width,
  ]);
}

describe.skipIf(withoutBrowser)("every page", () => {
  for (const [language, width] of [
    ["en", 1280],
    ["el", 375],
  ] as const)
    test(`is accessible in both themes and no wider than its window: ${language}, ${width} px`, async () => {
      const { admin, addressesOf } = await furnished();
      const platform = await t.platformAdmin();
      for (const who of [admin, platform]) expectStatus(await who.patch("/api/profile", { language }), 200);
      const paths = await routePaths();
      const of = (isOf: (path: string) => boolean) => paths.filter(isOf).flatMap(addressesOf);
      const walk = async (start: string, addresses: readonly string[], as: Parameters<typeof open>[2]) => {
        const page = await open(t, start, { ...as, language, width });
        await page.locator("h1").waitFor();
        expect(await page.locator("html").getAttribute("lang")).toBe(language);
        await look(page, width);
        for (const address of addresses) {
          await visit(page, address);
          await look(page, width);
        }
        return page;
      };
      await Promise.all([
        walk(
          "/",
          of((path) => !isOutside(path) && !isPlatform(path)),
          { as: admin },
        ).then(async (page) => {
          await page.getByRole("button", { name: /, \d / }).click();
          await page.getByRole("dialog").getByRole("listitem").first().waitFor();
          await axe(page);
        }),
        walk("/platform/organizations", of(isPlatform), { as: platform }),
      ]);
      await walk("/sign-in", of(isOutside), {});
    });
});

import { expect, test } from "bun:test";
import { join } from "node:path";
import { features } from "../../src/app/features.ts";
import type { Feature } from "../../src/core/api/feature.ts";

// Modules of the console read the page when they are loaded, and their types need those of a browser.
Object.assign(globalThis, { document: { querySelector: () => null, documentElement: { lang: "en" } } });
const { notificationText, pageOf } = await import(
  join(import.meta.dir, "../../src/web/shell/notification-text.ts")
);

const types = (features as readonly Feature[]).flatMap(({ notifications = {} }) =>
  Object.keys(notifications),
);
const about = (type: string, data: object) => ({ type, data, text: null, link: null });

function textOf(language: "en" | "el", notification: object): string {
  const number = (value: number) => new Intl.NumberFormat(language).format(value);
  const list = (items: string[]) => items.join();
  return notificationText(notification, { language, number, list, roleName: (name: string) => name });
}

test("a notification about a ticket opens the platform's page for those who are told of no organization", () => {
  const ticketId = crypto.randomUUID();
  for (const type of ["HELPDESK_TICKET_CREATED", "HELPDESK_REPORTER_REPLIED"]) {
    const pageWith = (data: object) => pageOf(about(type, { ticketId, ...data }));
    expect(pageWith({ organizationId: crypto.randomUUID() })).toBe(`/helpdesk/tickets/${ticketId}`);
    expect(pageWith({ organizationId: null })).toBe(`/platform/tickets/${ticketId}`);
    expect(pageWith({})).toBe(`/platform/tickets/${ticketId}`);
  }
  expect(pageOf(about("HELPDESK_STAFF_REPLIED", { ticketId }))).toBe(`/support/tickets/${ticketId}`);
});

test("a change to a status of a later release has a text in both languages", () => {
  const changed = about("HELPDESK_STATUS_CHANGED", { number: 7, status: "ON_HOLD", subject: "Light" });
  for (const language of ["en", "el"] as const) {
    expect(textOf(language, changed)).toContain("#7");
    expect(textOf(language, changed)).not.toMatch(/undefined|null|[{}]/);
  }
});

test("a notification without the fields of its type has a text in both languages, and no page of nothing", () => {
  expect(types).toContain("SIGN_ON_ANNOUNCED");
  for (const type of [...types, "OF_A_LATER_RELEASE"]) {
    const older = about(type, {});
    for (const language of ["en", "el"] as const) {
      const text = textOf(language, older);
      expect(text).not.toBe("");
      expect([type, text]).not.toEqual([type, expect.stringMatching(/NaN|undefined|null|Invalid|[{}]/)]);
    }
    expect([type, pageOf(older) ?? "/none"]).toEqual([type, expect.stringMatching(/^(\/[a-z-]+)+$/)]);
  }
  expect(textOf("en", about("JOIN_REQUESTED", {}))).toBe("Requests to join the organization: 1.");
  expect(textOf("en", about("TWO_FACTOR_RECOVERY_CODE_USED", {}))).toEndWith("left: 0.");
  expect(pageOf(about("INVITATION_ACCEPTED", {}))).toBeNull();
});

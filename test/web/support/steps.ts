import type { Page } from "playwright-core";

/* What a user does and sees, by the names that the page shows. */

/** Waits until the page with this heading is shown. */
export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { name, level: 1 }).waitFor();
export const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true }).click();
export const fill = (page: Page, label: string, text: string) =>
  page.getByRole("textbox", { name: label, exact: true }).fill(text);
export const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

import { readFromTab, saveInTab } from "./environment.ts";

const KEY = "last-page";

/** Remembers the path of a page in this tab, for a ticket about it; pages of the helpdesk itself are not what it is about. */
export function rememberPage(path: string): void {
  if (!/\/support(\/|$)/.test(path)) saveInTab(KEY, path);
}

/** The path of the last page before the helpdesk, or null. */
export const lastPage = (): string | null => readFromTab(KEY);

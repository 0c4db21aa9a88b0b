import { tabStorage } from "./environment.ts";

const KEY = "last-page";

/** Stores the path of a page in this tab, to send it with a ticket. Pages of the helpdesk are not stored. */
export function rememberPage(path: string): void {
  if (!/\/support(\/|$)/.test(path)) tabStorage.save(KEY, path);
}

/** Returns the path of the last page before the helpdesk, or null. */
export const lastPage = (): string | null => tabStorage.read(KEY);

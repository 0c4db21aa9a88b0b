import { tabStorage } from "./environment.ts";

/*
 * The test of a connection leads to the identity provider, and from there to the page of sign-in results. This tab keeps
 * the page that began it, to come back to it.
 */

const KEY = "test";
const DEFAULT = "/settings/sign-on";

/** Keeps the page and the connection of a test that begins. */
export const keepTest = (path: string, connectionId: string): void =>
  tabStorage.save(KEY, `${path}?${new URLSearchParams({ connection: connectionId })}`);

/** Returns the page that shows the result of a test: the one that began it. */
export function pageOfTest(testId: string): string {
  const page = tabStorage.read(KEY) ?? `${DEFAULT}?`;
  tabStorage.remove(KEY);
  return `${page}&${new URLSearchParams({ test: testId })}`;
}

import type { Client, Session } from "../../../client/index.ts";
import { createSetupClient } from "../../../client/setup.ts";
import { apiUrl, tabStorage } from "../../lib/environment.ts";
import { currentPath, currentSearch, openPage } from "../../lib/location.ts";

const KEY = "setup-link";

/**
 * Returns the token of the link that opened this tab. It is moved from the address to the storage of the tab, where it is found
 * when the provider leads back after a test.
 */
export function takeToken(): string {
  const { token, ...others } = currentSearch();
  if (typeof token !== "string") return tabStorage.read(KEY) ?? "";
  tabStorage.save(KEY, token);
  const query = new URLSearchParams(others as Record<string, string>).toString();
  openPage(query === "" ? currentPath() : `${currentPath()}?${query}`, { replace: true });
  return token;
}

export const forgetToken = (): void => tabStorage.remove(KEY);

const HELD: readonly string[] = ["SingleSignOn.Read", "SingleSignOn.Update"];
const SIGNED_OUT: Session = { status: "signed-out" };

/** Returns a client that sends the token of a setup link: the steps of the page use it as they use that of a member. */
export const clientOfLink = (page: Client, token: string): Client => ({
  ...page,
  session: { get: () => SIGNED_OUT, subscribe: () => () => {} },
  can: (permission) => HELD.includes(permission),
  // Only endpoints for setup links are called on the page: the API refuses others.
  request: createSetupClient({ baseUrl: apiUrl, token }).request as unknown as Client["request"],
});

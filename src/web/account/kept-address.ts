import { browserStorage } from "../lib/environment.ts";

const KEY = "address";

/** Keeps the address to which a link was mailed, for the sign-in page after the link. The link opens another tab. */
export const keepAddress = (email: string): void => browserStorage.save(KEY, email);

/** Returns the kept address, once; empty if there is none. */
export function takeAddress(): string {
  const email = browserStorage.read(KEY) ?? "";
  if (email !== "") browserStorage.save(KEY, "");
  return email;
}

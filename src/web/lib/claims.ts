import type { Claims } from "../../client/index.ts";
import { useSession } from "../../client/session-hooks.ts";

/** Returns what the session says of its user; an empty object without a signed-in user. */
export function useClaims(): Partial<Claims> {
  const session = useSession();
  return session.status === "signed-in" ? session : {};
}

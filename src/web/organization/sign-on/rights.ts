import { useCan } from "../../../client/react.ts";
import { useClaims } from "../../lib/claims.ts";

/**
 * Returns what the session may change. Platform administrators may remove domains and turn the policy off, and nothing
 * else.
 */
export function useSignOnRights() {
  const mayUpdate = Boolean(useCan("SingleSignOn.Update"));
  const { isPlatformAdmin = false } = useClaims();
  return { mayUpdate: mayUpdate && !isPlatformAdmin, mayEnd: mayUpdate, isPlatformAdmin };
}

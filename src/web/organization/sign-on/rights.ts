import { useCan, useSession } from "../../../client/react.ts";

/**
 * Returns what the session may change. Platform administrators may remove domains and turn the policy off, and nothing
 * else.
 */
export function useSignOnRights() {
  const session = useSession();
  const mayUpdate = Boolean(useCan("SingleSignOn.Update"));
  const isPlatformAdmin = session.status === "signed-in" && session.isPlatformAdmin;
  return { mayUpdate: mayUpdate && !isPlatformAdmin, mayEnd: mayUpdate, isPlatformAdmin };
}

import { useSession } from "../../client/session-hooks.ts";

/** Whether only a connection of an organization has proven the session, which then may not act on the account. */
export function useIsConfined(): boolean {
  const session = useSession();
  return session.status === "signed-in" && session.confined;
}

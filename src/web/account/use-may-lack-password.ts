import { useApiQuery } from "../../client/react.ts";

/** Returns whether the account may have no password. That is possible for accounts with third-party sign-in. */
export function useMayLackPassword(): boolean {
  const { data } = useApiQuery("GET /api/profile/identities");
  return (data ?? []).length > 0;
}

import { useApiQuery } from "../../client/react.ts";

/** Whether the account may be without a password, which only those with another way to sign in are. */
export function useMayLackPassword(): boolean {
  const { data } = useApiQuery("GET /api/profile/identities");
  return (data ?? []).length > 0;
}

import { useApiQuery } from "../../client/react.ts";

/** Whether the account may have no password, as accounts with third-party sign-in. */
export function useMayLackPassword(): boolean {
  const { data } = useApiQuery("GET /api/profile/identities");
  return (data ?? []).length > 0;
}

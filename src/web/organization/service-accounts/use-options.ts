import type { PermissionName } from "../../../client/index.ts";
import { useApiQuery, useCan } from "../../../client/react.ts";

export function useOptions(permission: PermissionName) {
  const whole = useCan(permission, null) === true;
  const fresh = { staleTime: 30_000 };
  const { data: roles = [] } = useApiQuery("GET /api/service-accounts/role-options", {}, fresh);
  const { data: units = [] } = useApiQuery("GET /api/service-accounts/unit-options", {}, fresh);
  return { roles, units, whole };
}

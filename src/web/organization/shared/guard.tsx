import type { ReactNode } from "react";
import type { PermissionName } from "../../../client/index.ts";
import { useCan, useSession } from "../../../client/react.ts";
import { NoAccess } from "../../ui/no-access.tsx";

type Props = { readonly title: string; readonly needs: PermissionName; readonly children: ReactNode };

/**
 * Renders the page if the user has the permission in the organization or one of its units; otherwise an
 * explanation.
 */
export function Guard({ title, needs, children }: Props) {
  const session = useSession();
  const isAllowed = useCan(needs);
  if (session.status === "signed-in" && session.organization !== null && isAllowed) return children;
  return <NoAccess title={title} />;
}

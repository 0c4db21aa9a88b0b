import { useCan } from "../../../client/react.ts";
import { RegisteredApps } from "../../ui/apps/registered-apps.tsx";
import { AppsPage } from "./frame.tsx";

export function OrganizationRegisteredApps() {
  const mayUpdate = Boolean(useCan("Organization.Update"));
  return (
    <AppsPage part="registered">
      <RegisteredApps of="organization" mayUpdate={mayUpdate} />
    </AppsPage>
  );
}

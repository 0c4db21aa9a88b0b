import { Alert } from "@mantine/core";
import { useApiQuery } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { shellTexts } from "./texts.ts";

/** Says that the organization one acts in is suspended, while the session has not yet ended. */
export function SuspendedBanner() {
  const texts = useTexts(shellTexts);
  const { data: organizations = [] } = useApiQuery("GET /api/auth/organizations");
  const current = organizations.find((organization) => organization.current);
  if (current?.status !== "SUSPENDED") return null;
  return (
    <Alert color="red" variant="outline" mb="md" role="status">
      {texts.suspendedNow(current.name)}
    </Alert>
  );
}

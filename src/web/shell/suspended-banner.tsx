import { Alert } from "@mantine/core";
import { useApiQuery } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { shellTexts } from "./texts.ts";

/** A banner that is shown if the active organization is suspended and the session has not ended yet. */
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

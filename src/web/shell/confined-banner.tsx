import { Alert, Button, Group } from "@mantine/core";
import { useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { useClaims } from "../lib/claims.ts";
import { useTexts } from "../lib/i18n.tsx";
import { proofDialog } from "../lib/reauthentication.ts";
import { shellTexts } from "../texts/shell.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";

/** A quiet line in a session that was only proven by connections of organizations, with what lifts the confinement. */
export function ConfinedBanner() {
  const texts = useTexts(shellTexts);
  const client = useClient();
  const { confined, organization = null } = useClaims();
  const confirm = useAction({
    // A route of the account is refused in such a session, which opens the dialog for a proof.
    run: async () => {
      await client.request("GET /api/profile/passkeys");
      await client.refresh();
    },
  });
  if (!confined) return null;
  return (
    <Alert variant="outline" color="gray" mb="md" role="status">
      <Group justify="space-between">
        {organization === null ? texts.confinedNowhere : texts.confined(organization.name)}
        {proofDialog.open !== undefined && (
          <Button
            variant="default"
            size="compact-sm"
            loading={confirm.isRunning}
            onClick={() => confirm.run()}
          >
            {texts.confirmMe}
          </Button>
        )}
      </Group>
      <ErrorAlert error={confirm.error} />
    </Alert>
  );
}

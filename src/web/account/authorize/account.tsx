import { Button, Group, Text } from "@mantine/core";
import { useApiQuery } from "../../../client/react.ts";
import { useClient } from "../../../client/session-hooks.ts";
import { useAction } from "../../lib/action.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { authorizeTexts } from "../../texts/authorize.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";

/** Says whose access the app gets, and lets the user sign in as somebody else. */
export function Account() {
  const texts = useTexts(authorizeTexts);
  const client = useClient();
  const { data: profile } = useApiQuery("GET /api/profile");
  // The page then leads to the sign-in page, and from there back to itself.
  const leaving = useAction({ run: client.signOut });
  return (
    <div>
      <Group gap="xs" justify="space-between">
        <Text size="sm" className="break">
          {profile !== undefined && texts.signedInAs(profile.email)}
        </Text>
        <Button size="compact-sm" variant="subtle" loading={leaving.isRunning} onClick={() => leaving.run()}>
          {texts.otherAccount}
        </Button>
      </Group>
      <ErrorAlert error={leaving.error} />
    </div>
  );
}

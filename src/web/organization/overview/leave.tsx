import { Group, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useClient } from "../../../client/react.ts";
import { useClaims } from "../../lib/claims.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { overviewTexts } from "../../texts/overview.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Section } from "../../ui/page.tsx";

/** The section for leaving the organization. Platform administrators are not members, so they do not see it. */
export function Leave() {
  const texts = useTexts(overviewTexts);
  const client = useClient();
  const navigate = useNavigate();
  const { organization, isPlatformAdmin } = useClaims();
  if (!organization || isPlatformAdmin) return null;
  return (
    <Section title={texts.leaveTitle}>
      <Group justify="space-between">
        <Text size="sm">{texts.leaveAbout}</Text>
        <ConfirmButton
          label={texts.leave}
          sentenceOf={{ CONFLICT: texts.subscriptionRenews }}
          question={texts.leaveQuestion(organization.name)}
          run={async (_, idempotencyKey) => {
            await client.request("POST /api/organization/leave", { idempotencyKey });
            // The session continues in another organization, so the page is left before the token is refreshed.
            await navigate({ to: "/" });
            await client.refresh();
          }}
        />
      </Group>
    </Section>
  );
}

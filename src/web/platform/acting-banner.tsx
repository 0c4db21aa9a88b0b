import { Button, Group, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useSession } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { selectOrganization } from "../lib/selected-organization.ts";
import { platformTexts } from "../texts/platform.ts";

export default function ActingBanner() {
  const texts = useTexts(platformTexts);
  const session = useSession();
  const navigate = useNavigate();
  if (session.status !== "signed-in" || !session.isPlatformAdmin || session.organization === null)
    return null;
  return (
    <Group component="aside" className="acting-banner" justify="space-between" aria-label={texts.acting}>
      <Text size="sm" fw={600}>
        {texts.actingOn(session.organization.name)}
      </Text>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => {
          selectOrganization(null);
          void navigate({ to: "/platform/organizations" });
        }}
      >
        {texts.stopActing}
      </Button>
    </Group>
  );
}

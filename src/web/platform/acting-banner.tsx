import { Button, Group, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useClaims } from "../lib/claims.ts";
import { useTexts } from "../lib/i18n.tsx";
import { selectOrganization } from "../lib/selected-organization.ts";
import { platformTexts } from "../texts/platform.ts";

export default function ActingBanner() {
  const texts = useTexts(platformTexts);
  const { organization, isPlatformAdmin } = useClaims();
  const navigate = useNavigate();
  if (!organization || !isPlatformAdmin) return null;
  return (
    <Group component="aside" className="acting-banner" justify="space-between" aria-label={texts.acting}>
      <Text size="sm" fw={600}>
        {texts.actingOn(organization.name)}
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

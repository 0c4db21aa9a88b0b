import { Badge, Group, Text } from "@mantine/core";
import { useApiQuery, useSession } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { Page, Section } from "../ui/page.tsx";
import { shellTexts } from "./texts.ts";

/** The first page after sign-in. */
export function Home() {
  const texts = useTexts(shellTexts);
  const session = useSession();
  const { data: profile } = useApiQuery("GET /api/profile", {}, { staleTime: 60_000 });
  if (session.status !== "signed-in") return null;
  const { organization, roles } = session;
  return (
    <Page title={profile === undefined ? texts.home : texts.welcome(profile.firstName)}>
      {organization === null ? (
        <Text>{texts.noOrganization}</Text>
      ) : (
        <Section title={organization.name}>
          <Text size="sm" mb="xs">
            {roles.length > 0 ? texts.roles : texts.noRoles}
          </Text>
          <Group gap="xs">
            {roles.map((role) => (
              <Badge key={role} variant="default">
                {role}
              </Badge>
            ))}
          </Group>
        </Section>
      )}
    </Page>
  );
}

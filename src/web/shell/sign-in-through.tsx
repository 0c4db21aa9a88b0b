import { Button, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { menuTexts } from "../texts/shell-menus.ts";

type Props = { readonly of: readonly Schemas["OwnOrganization"][] };

/** The organizations in which the user acts only after signing in through them. */
export default function SignInThrough({ of: organizations }: Props) {
  const texts = useTexts(menuTexts);
  const client = useClient();
  return (
    <Stack gap="md" mt="md">
      {organizations.map(({ id, name, connectionId }) => (
        <div key={id}>
          <Text size="sm" mb="xs">
            {connectionId === null ? texts.ssoUnavailableAt(name) : texts.ssoNeeded(name)}
          </Text>
          {connectionId !== null && (
            <Button variant="default" onClick={() => client.sso.begin(connectionId)}>
              {texts.ssoSignIn(name)}
            </Button>
          )}
        </div>
      ))}
    </Stack>
  );
}

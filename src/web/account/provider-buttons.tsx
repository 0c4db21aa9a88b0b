import { Button, Divider, Stack } from "@mantine/core";
import { useClient } from "../../client/session-hooks.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useSettings } from "../lib/settings.ts";
import { signInTexts } from "../texts/sign-in.ts";
import { keepNext } from "./search.ts";

/** Buttons for third-party sign-in; renders nothing if no provider is configured. */
export function ProviderButtons({ next }: { next?: string }) {
  const client = useClient();
  const texts = useTexts(signInTexts);
  const { providers = [] } = useSettings().data ?? {};
  if (providers.length === 0) return null;
  return (
    <Stack gap="sm">
      <Divider label={texts.or} />
      {providers.map(({ key, name }) => (
        <Button
          key={key}
          variant="default"
          onClick={() => {
            keepNext(next);
            client.signInWithProvider(key);
          }}
        >
          {texts.with(name)}
        </Button>
      ))}
    </Stack>
  );
}

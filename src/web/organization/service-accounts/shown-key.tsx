import { Button, Code, CopyButton, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { apiUrl } from "../../lib/environment.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { keyTexts } from "./texts.ts";

type Props = {
  readonly of: Schemas["NewApiKey"] | null;
  /** The previous key, which the new key replaces. */
  readonly replaced: Schemas["ApiKey"] | undefined;
  readonly onKept: () => void;
};

/** A dialog with a new API key, which cannot be shown again. It closes only by its button. */
export function ShownKey({ of: created, replaced, onKept }: Props) {
  const texts = useTexts(keyTexts);
  return (
    <Modal
      opened={created !== null}
      onClose={onKept}
      title={texts.shown}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      {created !== null && (
        <Stack gap="sm">
          {created.key === null ? <Text>{texts.notShown}</Text> : <Value of={created.key} />}
          {replaced !== undefined && <Old of={replaced} />}
          <Group justify="flex-end">
            <Button onClick={onKept}>{texts.kept}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function Value({ of: key }: { of: string }) {
  const texts = useTexts(keyTexts);
  const { href } = new URL(`${apiUrl}/api/service-accounts/self`, location.origin);
  return (
    <>
      <Text size="sm">{texts.shownOnce}</Text>
      <TextInput
        readOnly
        label={texts.key}
        value={key}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <Group justify="flex-end">
        <CopyButton value={key}>
          {({ copied, copy }) => (
            <Button size="compact-sm" variant="default" onClick={copy} data-autofocus>
              {copied ? texts.copied : texts.copy}
            </Button>
          )}
        </CopyButton>
      </Group>
      {/* The example command contains a variable, because a pasted key would stay in the shell's history. */}
      <Text size="sm">{texts.tryIt}</Text>
      <Code className="break">{`curl -H "Authorization: Bearer $API_KEY" ${href}`}</Code>
    </>
  );
}

function Old({ of: { status, expiresAt } }: { of: Schemas["ApiKey"] }) {
  const texts = useTexts(keyTexts);
  const { dateTime } = useFormat();
  return (
    <Text size="sm">
      {status === "ROTATED" && expiresAt !== null ? texts.oldUntil(dateTime(expiresAt)) : texts.oldEnded}
    </Text>
  );
}

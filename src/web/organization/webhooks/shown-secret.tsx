import { Button, CopyButton, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useTexts } from "../../lib/i18n.tsx";
import { webhookTexts } from "./texts.ts";

type Props = { readonly of: { readonly secret: string | null } | null; readonly onKept: () => void };

/** A dialog with a webhook endpoint's new secret, which cannot be shown again. It closes only by its button. */
export function ShownSecret({ of: created, onKept }: Props) {
  const texts = useTexts(webhookTexts);
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
          {created.secret === null ? <Text>{texts.notShown}</Text> : <Value of={created.secret} />}
          <Group justify="flex-end">
            <Button onClick={onKept}>{texts.kept}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function Value({ of: secret }: { of: string }) {
  const texts = useTexts(webhookTexts);
  return (
    <>
      <Text size="sm">{texts.shownOnce}</Text>
      <TextInput
        readOnly
        label={texts.secret}
        value={secret}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <Group justify="flex-end">
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button size="compact-sm" variant="default" onClick={copy} data-autofocus>
              {copied ? texts.copied : texts.copy}
            </Button>
          )}
        </CopyButton>
      </Group>
    </>
  );
}

import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { Copy } from "./copy.tsx";

type Props = {
  readonly texts: Readonly<Record<"shown" | "shownOnce" | "notShown" | "kept", string>>;
  readonly label: string;
  /** The secret; null if the response of an earlier request had it; undefined if nothing was created. */
  readonly secret: string | null | undefined;
  readonly onKept: () => void;
  readonly children?: ReactNode;
};

/** A dialog with a new secret, which cannot be shown again. It closes only by its button. */
export function ShownOnce({ texts, label, secret, onKept, children }: Props) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onKept}
      title={texts.shown}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      {secret !== undefined && (
        <Stack gap="sm">
          <Text size={secret === null ? "md" : "sm"}>
            {secret === null ? texts.notShown : texts.shownOnce}
          </Text>
          {secret !== null && (
            <>
              <TextInput
                readOnly
                label={label}
                value={secret}
                onFocus={({ currentTarget }) => currentTarget.select()}
              />
              <Group justify="flex-end">
                <Copy value={secret} data-autofocus />
              </Group>
            </>
          )}
          {children}
          <Group justify="flex-end">
            <Button onClick={onKept}>{texts.kept}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

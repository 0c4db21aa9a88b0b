import { Button, type ButtonProps, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { type ActionOptions, useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { ErrorAlert } from "./error-alert.tsx";
import { uiTexts } from "./texts.ts";

type Props = ActionOptions<void, unknown> &
  Omit<ButtonProps, "onClick"> & {
    /** The text of the button, the title of the dialog, and the text of the button that confirms. */
    readonly label: string;
    /** The text of the dialog, which says what will happen. */
    readonly question: ReactNode;
    /** Texts for error codes whose usual sentence does not fit this action. */
    readonly sentenceOf?: Readonly<Record<string, string>>;
  };

/**
 * A button that asks for confirmation before an action that cannot be undone. If the action fails, the dialog shows
 * the error.
 */
export function ConfirmButton({
  label,
  question,
  run,
  invalidates,
  onDone,
  sentenceOf = {},
  ...button
}: Props) {
  const texts = useTexts(uiTexts);
  const [isOpen, { open, close }] = useDisclosure();
  const action = useAction<void, unknown>({
    run,
    invalidates,
    onDone(output) {
      close();
      onDone?.(output);
    },
  });
  return (
    <>
      <Button
        color="red"
        variant="outline"
        {...button}
        onClick={() => {
          action.reset();
          open();
        }}
      >
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={label} closeButtonProps={{ "aria-label": texts.close }}>
        <Stack>
          <Text>{question}</Text>
          <ErrorAlert error={action.error} sentenceOf={sentenceOf} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              {texts.cancel}
            </Button>
            <Button color="red" loading={action.isRunning} onClick={() => action.run()}>
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

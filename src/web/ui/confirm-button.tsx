import { Button, type ButtonProps, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { type ActionOptions, useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { ErrorAlert } from "./error-alert.tsx";
import { uiTexts } from "./texts.ts";

type Props = ActionOptions<void, unknown> &
  Omit<ButtonProps, "onClick"> & {
    /** On the button, as the title of the dialog, and on the button that confirms. */
    readonly label: string;
    /** What will happen. */
    readonly question: ReactNode;
    /** What an error means here, by its code, where the usual sentence would not fit. */
    readonly sentenceOf?: Readonly<Record<string, string>>;
  };

/** A button that asks before it does something that cannot be undone; an error stays in the dialog. */
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

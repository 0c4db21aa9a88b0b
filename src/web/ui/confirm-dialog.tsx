import { Button, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { type ActionOptions, useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorAlert } from "./error-alert.tsx";
import { uiTexts } from "./texts.ts";

type Props = ActionOptions<void, unknown> & {
  /** The title of the dialog, and the text of the button that confirms. */
  readonly label: string;
  /** The text of the dialog, which says what will happen. */
  readonly question: ReactNode;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Texts for error codes whose usual sentence does not fit this action. */
  readonly sentenceOf?: Readonly<Record<string, string>>;
};

/** Asks for confirmation before an action that cannot be undone. An error is shown in the dialog. */
export function ConfirmDialog({
  label,
  question,
  isOpen,
  onClose,
  run,
  invalidates,
  onDone,
  sentenceOf = {},
}: Props) {
  const texts = useTexts(uiTexts);
  const action = useAction<void, unknown>({
    run,
    invalidates,
    onDone(output) {
      onClose();
      onDone?.(output);
    },
  });
  const close = () => {
    action.reset();
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} title={label}>
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
    </Dialog>
  );
}

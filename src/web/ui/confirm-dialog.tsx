import { Button, Group, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type ActionOptions, useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "../texts/ui.ts";
import { Dialog } from "./dialog.tsx";
import { ErrorAlert } from "./error-alert.tsx";

export type Confirmation = ActionOptions<void, unknown> & {
  readonly question: ReactNode;
  /** The page to open afterwards, before data is refetched: the present page would not find the deleted record. */
  readonly leavesTo?: string;
  /** Texts for error codes whose usual sentence does not fit this action. */
  readonly sentenceOf?: Readonly<Record<string, string>>;
};

type Props = Confirmation & {
  /** The title of the dialog, and the text of the button that confirms. */
  readonly label: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
};

/** Asks for confirmation before an action that cannot be undone. An error is shown in the dialog. */
export function ConfirmDialog({
  label,
  question,
  isOpen,
  onClose,
  run,
  leavesTo,
  invalidates,
  onDone,
  sentenceOf = {},
}: Props) {
  const texts = useTexts(uiTexts);
  const navigate = useNavigate();
  const action = useAction<void, unknown>({
    async run(input, idempotencyKey) {
      const output = await run(input, idempotencyKey);
      if (leavesTo !== undefined) await navigate({ to: leavesTo });
      return output;
    },
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

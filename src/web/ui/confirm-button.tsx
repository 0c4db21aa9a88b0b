import { Button, type ButtonProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import type { ActionOptions } from "../lib/action.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

type Props = ActionOptions<void, unknown> &
  Omit<ButtonProps, "onClick"> & {
    /** The text of the button, the title of the dialog, and the text of the button that confirms. */
    readonly label: string;
    /** The text of the dialog, which says what will happen. */
    readonly question: ReactNode;
    /** Texts for error codes whose usual sentence does not fit this action. */
    readonly sentenceOf?: Readonly<Record<string, string>>;
  };

/** A button that asks for confirmation before an action that cannot be undone. */
export function ConfirmButton({
  label,
  question,
  run,
  invalidates,
  onDone,
  sentenceOf = {},
  ...button
}: Props) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" c="var(--mantine-color-error)" {...button} onClick={open}>
        {label}
      </Button>
      <ConfirmDialog
        label={label}
        question={question}
        isOpen={isOpen}
        onClose={close}
        sentenceOf={sentenceOf}
        run={run}
        invalidates={invalidates}
        onDone={onDone}
      />
    </>
  );
}

import { Button, type ButtonProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type Confirmation, ConfirmDialog } from "./confirm-dialog.tsx";

type Props = Confirmation &
  Omit<ButtonProps, "onClick"> & {
    /** The text of the button, the title of the dialog, and the text of the button that confirms. */
    readonly label: string;
  };

export function ConfirmButton({
  label,
  question,
  run,
  leavesTo,
  invalidates,
  onDone,
  sentenceOf,
  ...button
}: Props) {
  const [isOpen, { open, close }] = useDisclosure();
  const confirmation = { label, question, run, leavesTo, invalidates, onDone, sentenceOf };
  return (
    <>
      <Button variant="default" c="var(--mantine-color-error)" {...button} onClick={open}>
        {label}
      </Button>
      <ConfirmDialog isOpen={isOpen} onClose={close} {...confirmation} />
    </>
  );
}

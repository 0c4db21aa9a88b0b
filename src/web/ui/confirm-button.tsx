import { Button, type ButtonProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type Confirmation, ConfirmDialog } from "./confirm-dialog.tsx";

type Props = Confirmation &
  Pick<ButtonProps, "size" | "variant"> & {
    /** The text of the button, the title of the dialog, and the text of the button that confirms. */
    readonly label: string;
    readonly "aria-label"?: string;
  };

export function ConfirmButton({ size, variant = "default", "aria-label": name, ...dialog }: Props) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button size={size} variant={variant} c="var(--mantine-color-error)" aria-label={name} onClick={open}>
        {dialog.label}
      </Button>
      <ConfirmDialog isOpen={isOpen} onClose={close} {...dialog} />
    </>
  );
}

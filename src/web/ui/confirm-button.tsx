import { Button, type ButtonProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useRef } from "react";
import { type Confirmation, ConfirmDialog } from "./confirm-dialog.tsx";

type Props = Omit<Confirmation, "onDone"> &
  Pick<ButtonProps, "size" | "variant"> & {
    /** The text of the button, the title of the dialog, and the text of the button that confirms. */
    readonly label: string;
    readonly "aria-label"?: string;
  };

/**
 * A button that asks for confirmation. If its record is gone afterwards, and the button with it, the focus moves to the list
 * around it that is marked by `data-keeps-focus`.
 */
export function ConfirmButton({ size, variant = "default", "aria-label": name, ...dialog }: Props) {
  const [isOpen, { open, close }] = useDisclosure();
  const list = useRef<HTMLElement | null>(null);
  return (
    <>
      <Button
        size={size}
        variant={variant}
        c="var(--mantine-color-error)"
        aria-label={name}
        onClick={({ currentTarget }) => {
          list.current = currentTarget.closest("[data-keeps-focus]");
          open();
        }}
      >
        {dialog.label}
      </Button>
      <ConfirmDialog isOpen={isOpen} onClose={close} onDone={() => list.current?.focus()} {...dialog} />
    </>
  );
}

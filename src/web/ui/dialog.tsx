import { Button, type ButtonProps, Modal, type ModalProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "../texts/ui.ts";

type Props = Omit<ModalProps, "opened" | "closeButtonProps"> & { readonly isOpen: boolean };

export function Dialog({ isOpen, ...props }: Props) {
  const { close } = useTexts(uiTexts);
  return <Modal opened={isOpen} closeButtonProps={{ "aria-label": close }} {...props} />;
}

type DialogButtonProps = Omit<ButtonProps, "children"> & {
  readonly label: string;
  /** The title of the dialog; by default the text of the button. */
  readonly title?: string;
  /** Returns the content of the dialog; `close` closes it. */
  readonly children: (close: () => void) => ReactNode;
};

export function DialogButton({ label, title = label, children, ...button }: DialogButtonProps) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {label}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={title}>
        {children(close)}
      </Dialog>
    </>
  );
}

import { Button, type ButtonProps, CopyButton } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "../texts/ui.ts";

type Props = ButtonProps & {
  readonly value: string;
  /** The text of the button; by default "Copy". */
  readonly label?: string;
};

export function Copy({ value, label, ...button }: Props) {
  const texts = useTexts(uiTexts);
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button size="compact-sm" variant="default" {...button} onClick={copy}>
          {copied ? texts.copied : (label ?? texts.copy)}
        </Button>
      )}
    </CopyButton>
  );
}

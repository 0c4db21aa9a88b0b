import { TextInput } from "@mantine/core";
import { Copy } from "../../ui/copy.tsx";

type Props = {
  readonly label: string;
  readonly about: string;
  readonly value: string;
  /** The text of the button. */
  readonly copy: string;
  readonly autoFocus?: boolean;
};

/** A value to enter elsewhere, with a button that copies it. */
export const CopyField = ({ label, about, value, copy, autoFocus = false }: Props) => (
  <div>
    <TextInput
      readOnly
      autoFocus={autoFocus}
      label={label}
      description={about}
      value={value}
      onFocus={({ currentTarget }) => currentTarget.select()}
    />
    <Copy value={value} label={copy} mt={6} />
  </div>
);

import { TextInput } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { connectionTexts } from "../../texts/sign-on-connections.ts";
import { Copy } from "../../ui/copy.tsx";

type Props = {
  readonly of: Pick<Schemas["Connection"], "redirectUri" | "startUrl">;
  readonly autoFocus?: boolean;
};

export function RedirectAddress({ of: { redirectUri }, autoFocus = false }: Props) {
  const texts = useTexts(connectionTexts);
  return (
    <CopyField
      label={texts.redirectAddress}
      about={texts.redirectAbout}
      value={redirectUri}
      copy={texts.copyRedirect}
      autoFocus={autoFocus}
    />
  );
}

export function StartAddress({ of: { startUrl } }: Props) {
  const texts = useTexts(connectionTexts);
  return (
    <CopyField label={texts.startAddress} about={texts.startAbout} value={startUrl} copy={texts.copyStart} />
  );
}

type FieldProps = {
  readonly label: string;
  readonly about: string;
  readonly value: string;
  /** The text of the button. */
  readonly copy: string;
  readonly autoFocus?: boolean;
};

/** A value to enter elsewhere, with a button that copies it. */
const CopyField = ({ label, about, value, copy, autoFocus = false }: FieldProps) => (
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

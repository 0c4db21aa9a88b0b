import { Textarea } from "@mantine/core";
import { useTexts } from "../../lib/i18n.tsx";
import { keyTexts } from "./texts.ts";

export const addressesIn = (text: string): string[] =>
  text.split(/[\s,;]+/).filter((address) => address !== "");

type Props = {
  readonly field: object;
  readonly errors: Record<string, React.ReactNode>;
};

export function Addresses({ field, errors }: Props) {
  const texts = useTexts(keyTexts);
  // The path of a violation of one of several addresses contains the index of the address.
  const wrongAddress = Object.keys(errors).find((path) => path.startsWith("allowedIps"));
  return (
    <Textarea
      label={texts.addresses}
      description={texts.addressesAbout}
      autosize
      {...field}
      error={wrongAddress && errors[wrongAddress]}
    />
  );
}

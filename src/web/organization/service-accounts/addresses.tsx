import { Textarea } from "@mantine/core";
import { useTexts } from "../../lib/i18n.tsx";
import { keyTexts } from "./texts.ts";

/** Returns the addresses and ranges in a text. */
export const addressesIn = (text: string): string[] =>
  text.split(/[\s,;]+/).filter((address) => address !== "");

type Props = {
  readonly field: object;
  readonly errors: Record<string, React.ReactNode>;
};

/** The field for the addresses that may use an API key. */
export function Addresses({ field, errors }: Props) {
  const texts = useTexts(keyTexts);
  // A violation of one of several addresses has a path with an index.
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

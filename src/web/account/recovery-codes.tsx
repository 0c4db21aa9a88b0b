import { Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useTexts } from "../lib/i18n.tsx";
import { save } from "../lib/save-file.ts";
import { profileTexts } from "../texts/profile.ts";
import { Copy } from "../ui/copy.tsx";

export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const texts = useTexts(profileTexts);
  const text = codes.join("\n");
  const heading = useRef<HTMLParagraphElement>(null);
  // The form that had the focus has been removed, so the heading is focused.
  useEffect(() => heading.current?.focus(), []);
  return (
    <Stack gap="sm">
      <Text fw={600} ref={heading} tabIndex={-1}>
        {texts.codes}
      </Text>
      <Text size="sm">{texts.codesAbout}</Text>
      <ul className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group justify="flex-end">
        <Copy value={text} size="sm" />
        <Button
          variant="default"
          onClick={() => save(new Blob([`${text}\n`], { type: "text/plain" }), "recovery-codes.txt")}
        >
          {texts.download}
        </Button>
        <Button onClick={onKept}>{texts.kept}</Button>
      </Group>
    </Stack>
  );
}

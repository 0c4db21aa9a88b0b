import { Button, FileButton, Group, Stack, Text, Textarea } from "@mantine/core";
import { useRef, useState } from "react";
import { useFormat } from "../../../lib/format.ts";
import { useTexts } from "../../../lib/i18n.tsx";
import { inviteManyTexts } from "../../../texts/invite-many.ts";
import { decode, MAX_FILE_BYTES } from "./table.ts";

export const MAX_ROWS = 5_000;

type Props = {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly count: number;
};

export function Source({ value, onChange, count }: Props) {
  const texts = useTexts(inviteManyTexts);
  const { number } = useFormat();
  const [problem, setProblem] = useState<string | null>(null);
  const resetFile = useRef<() => void>(null);

  async function read(file: File | null) {
    if (file === null) return;
    // Otherwise the same file could not be chosen again after it was changed.
    resetFile.current?.();
    const text = file.size > MAX_FILE_BYTES ? null : decode(new Uint8Array(await file.arrayBuffer()));
    if (text === null) return setProblem(file.size > MAX_FILE_BYTES ? texts.tooLarge : texts.unreadable);
    setProblem(null);
    onChange(text);
  }
  const error = problem ?? (count > MAX_ROWS ? texts.tooMany(number(MAX_ROWS)) : null);
  return (
    <Stack gap="xs">
      <Textarea
        label={texts.paste}
        description={texts.pasteAbout}
        rows={6}
        value={value}
        onChange={({ currentTarget }) => {
          setProblem(null);
          onChange(currentTarget.value);
        }}
        error={error}
      />
      <Group gap="sm">
        <FileButton accept=".csv,.tsv,.txt,text/csv,text/plain" onChange={read} resetRef={resetFile}>
          {(props) => (
            <Button variant="default" size="xs" {...props}>
              {texts.file}
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed" role="status">
          {count > 0 && texts.read(number(count))}
        </Text>
      </Group>
    </Stack>
  );
}

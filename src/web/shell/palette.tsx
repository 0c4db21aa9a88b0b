import { Text, TextInput } from "@mantine/core";
import { useEffect, useId, useState } from "react";
import { useTexts } from "../lib/i18n.tsx";
import { shellTexts } from "../texts/shell.ts";
import { menuTexts } from "../texts/shell-menus.ts";
import { uiTexts } from "../texts/ui.ts";
import { Dialog } from "../ui/dialog.tsx";
import { takeEarlyKeys } from "./early-keys.ts";
import { matches } from "./search.ts";
import { type Command, useCommands } from "./use-commands.ts";
import { useRecords } from "./use-records.ts";

export default function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const shell = useTexts(shellTexts);
  // The modal opens after its first render: only then it notes the element to which it returns the focus.
  const [isShown, setShown] = useState(false);
  useEffect(() => setShown(isOpen), [isOpen]);
  return (
    <Dialog isOpen={isShown} onClose={onClose} title={shell.palette} yOffset="8vh">
      <Search onClose={onClose} />
    </Dialog>
  );
}

function Search({ onClose }: { onClose: () => void }) {
  const texts = useTexts(menuTexts);
  const { nothingFound } = useTexts(uiTexts);
  const shell = useTexts(shellTexts);
  const id = useId();
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState(0);
  const { records, isSearching } = useRecords(search);
  const commands = useCommands().filter(({ text, kind }) => matches(search, text, texts[kind]));
  const found = [...commands, ...records];
  const current = Math.min(chosen, found.length - 1);
  const optionId = (index: number) => `${id}-${index}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when another command is selected
  useEffect(() => {
    document.getElementById(optionId(current))?.scrollIntoView({ block: "nearest" });
  }, [current]);

  function run(command: Command | undefined) {
    if (command === undefined) return;
    onClose();
    command.run();
  }

  function onKeyDown(event: React.KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((current + step + found.length) % Math.max(1, found.length));
    }
    if (event.key === "Enter") {
      event.preventDefault();
      run(found[current]);
    }
  }

  return (
    <>
      <TextInput
        data-autofocus
        role="combobox"
        aria-label={texts.paletteHint}
        placeholder={texts.paletteHint}
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? optionId(current) : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        value={search}
        onChange={({ currentTarget }) => {
          setSearch(currentTarget.value);
          setChosen(0);
        }}
        onFocus={() => setSearch(search + takeEarlyKeys())}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={`${id}-list`} aria-label={shell.palette} className="palette">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the search field has the focus and handles the keys
          <div
            key={command.key}
            id={optionId(index)}
            role="option"
            aria-selected={index === current}
            className="palette-option"
            onClick={() => run(command)}
            onPointerMove={() => setChosen(index)}
          >
            <span className="wrap-anywhere">{command.text}</span>
            <Text size="xs" c="dimmed" span>
              {texts[command.kind]}
            </Text>
          </div>
        ))}
      </div>
      <Text role="status" size="sm" c="dimmed" pt="sm">
        {found.length === 0 && (isSearching ? texts.searching : nothingFound)}
      </Text>
    </>
  );
}

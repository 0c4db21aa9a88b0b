import { useHotkeys } from "@mantine/hooks";
import { type ComponentType, useState } from "react";
import { keepEarlyKeys, takeEarlyKeys } from "./early-keys.ts";

type PaletteProps = { isOpen: boolean; onClose: () => void };

/** The command palette, which is loaded when it is opened first; until then `Palette` is null. */
export function usePalette() {
  const [Palette, setPalette] = useState<ComponentType<PaletteProps> | null>(null);
  const [isOpen, setOpen] = useState(false);
  function close() {
    takeEarlyKeys();
    setOpen(false);
  }
  function open() {
    keepEarlyKeys(close);
    setOpen(true);
    // If loading fails, nothing opens, and the next attempt tries again.
    import("./palette.tsx").then(({ default: loaded }) => setPalette(() => loaded), close);
  }
  useHotkeys([["mod+K", () => (isOpen ? close() : open())]], []);
  return { Palette, isOpen, open, close };
}

import { type RefObject, useEffect, useRef } from "react";

/** By the place of the key, so that they are the same keys on a Greek keyboard. */
const STEPS: Readonly<Record<string, number>> = { KeyJ: 1, KeyK: -1 };

/**
 * Lets J and K move the focus to the next and to the previous row of a list, while the focus is on its page and not in a
 * field.
 * @returns the ref of the element that contains the list; the first link of a row gets the focus
 */
export function useRowKeys(): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const page = list.current?.closest("main");
    function onKeyDown({ code, ctrlKey, metaKey, altKey, target }: KeyboardEvent) {
      const step = STEPS[code];
      const isField = target instanceof Element && target.matches("input, textarea, select");
      if (step === undefined || ctrlKey || metaKey || altKey || isField) return;
      const links = [...(list.current?.querySelectorAll<HTMLElement>("tbody tr") ?? [])].map((row) =>
        row.querySelector("a"),
      );
      const current = links.indexOf(document.activeElement as HTMLAnchorElement);
      links[current === -1 ? 0 : current + step]?.focus();
    }
    page?.addEventListener("keydown", onKeyDown);
    return () => page?.removeEventListener("keydown", onKeyDown);
  }, []);
  return list;
}

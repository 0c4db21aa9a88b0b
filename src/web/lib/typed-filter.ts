import { useDebouncedCallback } from "@mantine/hooks";
import { type ChangeEvent, useEffect, useRef, useState } from "react";

const TYPING_MS = 300;

/**
 * Returns the props of a text field for a filter that is in the URL. The filter changes when the user stops typing.
 * @param current the filter's value in the URL
 * @param onChange called with the trimmed text
 */
export function useTypedFilter(current: string, onChange: (value: string) => void) {
  const [text, setText] = useState(current);
  const applied = useRef(current);
  const apply = useDebouncedCallback((value: string) => {
    applied.current = value;
    onChange(value);
  }, TYPING_MS);
  // Back navigation and links change the filter in the URL, so the field follows the URL. It does not follow its own
  // change, which may arrive after further letters were typed.
  useEffect(() => {
    if (current === applied.current) return;
    applied.current = current;
    setText(current);
  }, [current]);
  return {
    value: text,
    onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) => {
      setText(value);
      apply(value.trim());
    },
    // A click on a row comes after its field has lost the focus; a later change would cancel the navigation.
    onBlur: () => apply.flush(),
  };
}

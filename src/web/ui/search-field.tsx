import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { Icon } from "../lib/icons.tsx";
import type { List } from "../lib/list.ts";

const SEARCH_MS = 300;

/** The search field of a list. The search begins when the user stops typing. */
export function SearchField<Row>({
  list,
  label,
  placeholder = label,
}: {
  list: List<Row>;
  label: string;
  placeholder?: string | undefined;
}) {
  const current = list.search.search ?? "";
  const [text, setText] = useState(current);
  const applied = useRef(current);
  const apply = useDebouncedCallback((search: string) => {
    applied.current = search;
    list.show({ search });
  }, SEARCH_MS);
  // Back navigation and links change the search text in the URL, so the field follows the URL. It does not follow its
  // own change, which may arrive after further letters were typed.
  useEffect(() => {
    if (current === applied.current) return;
    applied.current = current;
    setText(current);
  }, [current]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Icon name="search" size={16} />}
      value={text}
      maxLength={200}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        apply(value.trim());
      }}
      // A click on a row comes after its field has lost the focus; a later search would cancel the navigation.
      onBlur={() => apply.flush()}
    />
  );
}

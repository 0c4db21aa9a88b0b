import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";

const [SHOWN, TYPING_MS] = [20, 200];

/** The state of a field whose options are searched by the API: the query for its options, and when to send it. */
export function useOptionSearch() {
  const [text, setText] = useState("");
  const [search] = useDebouncedValue(text, TYPING_MS);
  const [isOpen, setOpen] = useState(false);
  return {
    query: { pageSize: SHOWN, ...(search !== "" && { search }) },
    settings: { enabled: isOpen, staleTime: 30_000 },
    field: { onSearch: setText, onOpen: () => setOpen(true) },
  };
}

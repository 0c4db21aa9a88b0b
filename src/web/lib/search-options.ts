import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";

const [SHOWN, TYPING_MS] = [20, 200];

type Found<Row> = {
  readonly data: { readonly data: readonly Row[] } | undefined;
  readonly isLoading: boolean;
};

/** The state of a field whose options are searched by the API: the query for its options, and when to send it. */
export function useOptionSearch() {
  const [text, setText] = useState("");
  const [search] = useDebouncedValue(text, TYPING_MS);
  const [isOpen, setOpen] = useState(false);
  return {
    query: { pageSize: SHOWN, ...(search !== "" && { search }) },
    settings: { enabled: isOpen, staleTime: 30_000 },
    field: { onSearch: setText, onOpen: () => setOpen(true) },
    /** Returns the options that the query found; undefined until they are those for the typed text. */
    found: <Row>({ data, isLoading }: Found<Row>, optionOf: (row: Row) => [id: string, name: string]) =>
      text !== search || isLoading ? undefined : new Map((data?.data ?? []).map(optionOf)),
  };
}

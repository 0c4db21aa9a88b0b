import { TextInput, type TextInputProps } from "@mantine/core";
import { Icon } from "../lib/icons.tsx";
import type { List } from "../lib/list.ts";
import { useTypedFilter } from "../lib/typed-filter.ts";

type InputProps = TextInputProps & { readonly "aria-label": string };

/** A field for the text of a search. */
export const SearchInput = ({ "aria-label": label, placeholder = label, ...props }: InputProps) => (
  <TextInput
    type="search"
    aria-label={label}
    placeholder={placeholder}
    leftSection={<Icon name="search" size={16} />}
    {...props}
  />
);

type Props<Row> = { list: List<Row>; label: string; placeholder?: string | undefined };

/** The search field of a list. The search begins when the user stops typing. */
export function SearchField<Row>({ list, label, placeholder }: Props<Row>) {
  const field = useTypedFilter(list.search.search ?? "", (search) => list.show({ search }));
  return <SearchInput aria-label={label} placeholder={placeholder} maxLength={200} {...field} />;
}

import { TextInput, type TextInputProps } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { Icon } from "../lib/icons.tsx";
import type { List } from "../lib/list.ts";
import { useTypedFilter } from "../lib/typed-filter.ts";
import { uiTexts } from "../texts/ui.ts";

export function SearchInput({ placeholder, ...props }: TextInputProps) {
  const { search } = useTexts(uiTexts);
  return (
    <TextInput
      type="search"
      aria-label={search}
      placeholder={placeholder ?? search}
      leftSection={<Icon name="search" size={16} />}
      {...props}
    />
  );
}

type Props<Row> = { list: List<Row>; placeholder?: string | undefined };

/** The search field of a list. The search begins when the user stops typing. */
export function SearchField<Row>({ list, placeholder }: Props<Row>) {
  const field = useTypedFilter(list.search.search ?? "", (search) => list.show({ search }));
  return <SearchInput placeholder={placeholder} maxLength={200} {...field} />;
}

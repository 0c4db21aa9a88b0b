import { TextInput } from "@mantine/core";
import { Icon } from "../lib/icons.tsx";
import type { List } from "../lib/list.ts";
import { useTypedFilter } from "../lib/typed-filter.ts";

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
  const field = useTypedFilter(list.search.search ?? "", (search) => list.show({ search }));
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Icon name="search" size={16} />}
      maxLength={200}
      {...field}
    />
  );
}

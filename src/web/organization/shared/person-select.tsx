import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useApiQuery } from "../../../client/react.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { uiTexts } from "../../ui/texts.ts";

type Props = {
  readonly label: string;
  readonly placeholder: string;
  /** The id of the chosen member's account. */
  readonly value: string | null;
  readonly onChange: (userId: string | null) => void;
};

const SHOWN = 20;

/** A field for choosing a member, who is searched by name or email. */
export function PersonSelect({ label, placeholder, value, onChange }: Props) {
  const { nothingFound } = useTexts(uiTexts);
  const [search, setSearch] = useState("");
  const [wanted] = useDebouncedValue(search, 200);
  const [isOpen, setOpen] = useState(false);
  // Choosing a member writes the member's name into the field. This must not start a search.
  const query = { pageSize: SHOWN, ...(wanted !== "" && { search: wanted }) };
  const { data } = useApiQuery("GET /api/members", { query }, { enabled: isOpen, staleTime: 30_000 });
  const { data: chosen } = useApiQuery(
    "GET /api/members",
    { query: { member: value === null ? [] : [value], pageSize: 1 } },
    { enabled: value !== null, staleTime: 30_000 },
  );
  const people = new Map(
    [...(data?.data ?? []), ...(value === null ? [] : (chosen?.data ?? []))].map(
      ({ userId, firstName, lastName, email }) => [userId, `${firstName} ${lastName} · ${email}`],
    ),
  );
  if (value !== null && !people.has(value)) people.set(value, "…");
  return (
    <Select
      label={label}
      placeholder={placeholder}
      searchable
      clearable
      clearButtonProps={{ "aria-label": placeholder }}
      nothingFoundMessage={nothingFound}
      data={[...people].map(([id, name]) => ({ value: id, label: name }))}
      // Mantine does not filter the options, because the API has searched already.
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      onSearchChange={setSearch}
      onFocus={({ currentTarget }) => {
        setOpen(true);
        currentTarget.select();
      }}
    />
  );
}

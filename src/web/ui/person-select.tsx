import { useApiQuery } from "../../client/react.ts";
import { useOptionSearch } from "../lib/search-options.ts";
import { SearchSelect } from "./search-select.tsx";

type Person = {
  readonly userId: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
};

type Props = {
  readonly label: string;
  readonly placeholder: string;
  /** The id of the chosen member's account. */
  readonly value: string | null;
  readonly onChange: (userId: string | null) => void;
};

const nameOf = ({ firstName, lastName, email }: Person) => `${firstName} ${lastName} · ${email}`;

export function PersonSelect({ value, ...props }: Props) {
  const { query, settings, field, found } = useOptionSearch();
  const members = useApiQuery("GET /api/members", { query }, settings);
  const { data: chosen } = useApiQuery(
    "GET /api/members",
    { query: { member: value === null ? [] : [value], pageSize: 1 } },
    { enabled: value !== null, staleTime: 30_000 },
  );
  return (
    <SearchSelect
      {...props}
      {...field}
      value={value}
      found={found(members, (person) => [person.userId, nameOf(person)])}
      chosen={chosen?.data.map(nameOf)[0]}
    />
  );
}

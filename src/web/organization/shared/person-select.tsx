import { useApiQuery } from "../../../client/react.ts";
import { useOptionSearch } from "../../lib/search-options.ts";
import { SearchSelect } from "../../ui/search-select.tsx";

type Props = {
  readonly label: string;
  readonly placeholder: string;
  /** The id of the chosen member's account. */
  readonly value: string | null;
  readonly onChange: (userId: string | null) => void;
};

/** A field for choosing a member, who is searched by name or email. */
export function PersonSelect({ value, ...props }: Props) {
  const { query, settings, field } = useOptionSearch();
  const { data } = useApiQuery("GET /api/members", { query }, settings);
  const { data: chosen } = useApiQuery(
    "GET /api/members",
    { query: { member: value === null ? [] : [value], pageSize: 1 } },
    { enabled: value !== null, staleTime: 30_000 },
  );
  const people = [...(data?.data ?? []), ...(value === null ? [] : (chosen?.data ?? []))];
  const options = new Map(
    people.map(({ userId, firstName, lastName, email }) => [userId, `${firstName} ${lastName} · ${email}`]),
  );
  return <SearchSelect {...props} {...field} value={value} options={options} />;
}

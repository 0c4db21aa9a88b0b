import { useDebouncedValue } from "@mantine/hooks";
import { useRouter } from "@tanstack/react-router";
import { useApiQuery, useCan } from "../../client/react.ts";
import { useClaims } from "../lib/claims.ts";
import type { Command } from "./use-commands.ts";

const SHOWN = 5;
const MIN_LETTERS = 2;

type Records = { readonly records: readonly Command[]; readonly isSearching: boolean };

/**
 * Returns the members, units, roles and tickets that match a search, as commands of the command palette; none while the
 * user is typing, so that Enter never opens a result of another text. The tickets are those of the inbox, or the user's
 * own.
 */
export function useRecords(search: string): Records {
  const router = useRouter();
  const typed = search.trim();
  const [wanted] = useDebouncedValue(typed, 150);
  const isSearch = wanted.length >= MIN_LETTERS;
  const isMember = useClaims().organization != null;
  const may = {
    members: useCan("Members.Read"),
    units: useCan("Units.Read"),
    roles: useCan("Roles.Read"),
    tickets: useCan("Helpdesk.Read"),
  };
  const query = { search: wanted, pageSize: SHOWN };
  const enabled = (part: keyof typeof may) => ({
    enabled: isSearch && isMember && Boolean(may[part]),
    staleTime: 10_000,
  });
  const members = useApiQuery("GET /api/members", { query }, enabled("members"));
  const units = useApiQuery("GET /api/units", { query: { search: wanted } }, enabled("units"));
  const roles = useApiQuery("GET /api/roles", { query: { search: wanted } }, enabled("roles"));
  const tickets = useApiQuery("GET /api/organization/helpdesk/tickets", { query }, enabled("tickets"));
  const own = useApiQuery(
    "GET /api/support/tickets",
    { query },
    { enabled: isSearch && !may.tickets, staleTime: 10_000 },
  );
  if (typed.length < MIN_LETTERS) return { records: [], isSearching: false };
  if (typed !== wanted) return { records: [], isSearching: true };
  const record = (kind: Command["kind"], href: string, text: string): Command => ({
    key: href,
    text,
    kind,
    run: () => void router.navigate({ href }),
  });
  const records = [
    ...(members.data?.data ?? []).map(({ userId, firstName, lastName, email }) =>
      record("member", `/members/${userId}`, `${firstName} ${lastName} · ${email}`),
    ),
    ...(tickets.data?.data ?? []).map(({ id, number, subject }) =>
      record("ticket", `/helpdesk/tickets/${id}`, `#${number} ${subject}`),
    ),
    ...(own.data?.data ?? []).map(({ id, number, subject }) =>
      record("ticket", `/support/tickets/${id}`, `#${number} ${subject}`),
    ),
    ...(units.data?.data ?? [])
      .slice(0, SHOWN)
      .map(({ id, name }) => record("unit", `/units?unit=${id}`, name)),
    ...(roles.data?.data ?? []).slice(0, SHOWN).map(({ id, name }) => record("role", `/roles/${id}`, name)),
  ];
  return { records, isSearching: [members, units, roles, tickets, own].some(({ isLoading }) => isLoading) };
}

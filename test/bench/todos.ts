import { Organization } from "../support/organizations.ts";
import type { Service } from "../support/service.ts";
import { expectStatus } from "../support/service.ts";
import { places } from "./places.ts";

const TODOS = 100_000;

/** Somebody who reads everybody's todos, and what their lists are asked with. */
export type TodoReader = { accessToken: string; filters: TodoFilters };
export type TodoFilters = {
  organizationId: string;
  organizations: null;
  owners: string[] | null;
  units: string[] | null;
  completed: boolean | null;
  search: string | null;
};

let grown: Promise<Record<"everybody" | "150 units" | "1,500 units", TodoReader>> | null = null;

/** An organization of 50,000 members with 100,000 todos; grown once. */
export function todoReaders(t: Service) {
  grown ??= grow(t);
  return grown;
}

async function grow(t: Service) {
  const big = (await places(t))["50,000"];
  const { organizationId } = big.everything.filters;
  await t.sql(
    `INSERT INTO todos (organization_id, user_id, title, completed, created_at)
     SELECT $1::uuid, owner.user_id, 'Todo ' || to_char(n * 7919 % 100000, 'FM00000'), n % 3 = 0,
       now() - n * interval '1 minute'
     FROM generate_series(1, $2::int) n
     JOIN (SELECT user_id, row_number() OVER (ORDER BY user_id) AS number FROM memberships
       WHERE organization_id = $1::uuid AND NOT is_deleted) owner ON owner.number = 1 + n * 104729::bigint % 49000`,
    [organizationId, TODOS],
  );
  const many = await t.person();
  // Ten of the thirteen trees: 153 units each.
  const roots = await t.sql<{ id: string }>(
    "SELECT id FROM units WHERE organization_id = $1 AND name ~ '^Unit [0-9]+$' ORDER BY name LIMIT 10",
    [organizationId],
  );
  await new Organization(t, organizationId, many).add(
    many,
    ...roots.map(({ id }) => ({ role: "UNIT_ADMIN", unit: id })),
  );
  expectStatus(await many.refresh(), 200);
  const covered = await t.sql<{ id: string }>("SELECT unit_id AS id FROM unit_subtree($1::uuid[])", [
    roots.map(({ id }) => id),
  ]);
  await t.sql("VACUUM ANALYZE todos");
  const filters = { organizationId, organizations: null, owners: null, completed: null, search: null };
  const token = (caller: { accessToken: string | null }) => caller.accessToken ?? "";
  return {
    everybody: { accessToken: token(big.everything.caller), filters: { ...filters, units: null } },
    "150 units": {
      accessToken: token(big.in150Units.caller),
      filters: { ...filters, units: big.in150Units.filters.units },
    },
    "1,500 units": { accessToken: token(many), filters: { ...filters, units: covered.map(({ id }) => id) } },
  };
}

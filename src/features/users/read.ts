import type { z } from "zod";
import {
  filteredUnits,
  intersection,
  list,
  notFound,
  type Queryable,
  type SignedInCall,
  unrestricted,
} from "#kit";
import * as accounts from "#sql/people/accounts";
import * as queries from "#sql/users";
import { presentUser, type StoredUser } from "../../core/accounts/user.ts";
import type { PlatformUser, UserQuery } from "./schemas.ts";

const EVERYWHERE = { units: unrestricted("platform administrators read every account") };

/**
 * Returns a page of all accounts, for platform administrators. `named` are the organizations in the header
 * `X-Organization-Id`.
 */
export async function listUsers(
  call: SignedInCall,
  query: z.output<typeof UserQuery>,
  named: string[] | null,
) {
  const { lists } = call.db;
  const units = await filteredUnits(null, EVERYWHERE, query.unit, lists);
  const organizations = intersection(query.organization, named);
  const page = await list(queries.users, call, { ...query, organizations, units });
  return { ...page, data: await withOrganizations(page.data, lists) };
}

/** Returns one account. @throws notFound */
export const getUser = ({ db }: SignedInCall, id: string) => showUser(db, id);

/** Finds the row of one account. @throws notFound */
export async function showUser(db: Queryable, id: string) {
  const [user] = await withOrganizations(await accounts.findUser.run({ id }, db), db);
  if (user === undefined) throw notFound();
  return user;
}

async function withOrganizations(
  users: StoredUser[],
  db: Queryable,
): Promise<z.output<typeof PlatformUser>[]> {
  const userIds = users.map(({ id }) => id);
  const rows = users.length === 0 ? [] : await queries.listOrganizationsOfUsers.run({ userIds }, db);
  const organizations = Map.groupBy(rows, ({ userId }) => userId);
  return users.map((user) => ({
    ...presentUser(user),
    organizations: (organizations.get(user.id) ?? []).map(({ id, name }) => ({ id, name })),
  }));
}

import { SQL } from "bun";
import { builtInRoles, permissionNames } from "#kit/inside";
import * as queries from "#sql/roles";

/**
 * Updates the built-in roles in the database to match the catalog, so that a permission that a product adds is
 * granted to holders of these roles. Returns the changes, one per line.
 */
export async function synchronizeBuiltInRoles(databaseUrl: string): Promise<string[]> {
  const sql = new SQL({ url: databaseUrl, max: 1 });
  const db = { query: async (text: string, values: unknown[]) => [...(await sql.unsafe(text, values))] };
  try {
    const changed = [];
    for (const role of builtInRoles)
      changed.push(...(await queries.upsertBuiltInRole.run({ ...role, known: permissionNames() }, db)));
    return changed.map(({ name }) => `role ${name} is as the catalog has it`);
  } finally {
    await sql.close();
  }
}

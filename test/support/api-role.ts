import { SQL } from "bun";
import { grantToApiRole } from "../../src/platform/db/grant.ts";

/**
 * Creates a role to which `bun run migrate` has granted the privileges of the service; returns the database URL of
 * that role.
 */
export async function createApiRole(databaseUrl: string) {
  const role = `api_${crypto.randomUUID().slice(0, 8)}`;
  const owner = async (text: string) => {
    const sql = new SQL({ url: databaseUrl, max: 1 });
    await sql.unsafe(text);
    await sql.close();
  };
  await owner(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
  await grantToApiRole(databaseUrl, role);
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = role;
  return { role, url: url.href, drop: () => owner(`DROP OWNED BY ${role}; DROP ROLE ${role}`) };
}

import { migrateAll } from "../app/migrate.ts";

/**
 * Migrates the database of `bun run dev`.
 * @throws Error with the cause and, if a migration that has run was changed, with the way to continue
 */
export async function migrateDevelopment(databaseUrl: string): Promise<void> {
  await migrateAll(databaseUrl).catch((error) => {
    const cause = error instanceof Error ? error.message : String(error);
    throw new Error(
      `A migration failed: ${cause}\nIf you edited, renamed or deleted a migration that has run, stop, delete .data and start again: this creates new demo data.`,
    );
  });
}

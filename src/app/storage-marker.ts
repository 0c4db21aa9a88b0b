import * as storage from "#sql/storage";
import { exactlyOne, type Queryable } from "../platform/db/prepared-query.ts";
import type { MarkerRecord } from "../platform/storage/marked.ts";

/** Returns the record of the storage's marker in the database. */
export const markerRecord = (db: Queryable, writes: Queryable): MarkerRecord => ({
  find: async () => exactlyOne(await storage.findStorageMarker.run(undefined, db)),
  confirm: () => storage.confirmStorageMarker.run(undefined, writes),
});

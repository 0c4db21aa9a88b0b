import * as storage from "#sql/storage";
import { exactlyOne, type Queryable } from "../platform/db/prepared-query.ts";
import type { MarkerRecord } from "../platform/storage/marked.ts";

/** Returns the database record of the marker that identifies the storage. */
export const markerRecord = (db: Queryable, writes: Queryable): MarkerRecord => ({
  find: async () => exactlyOne(await storage.findStorageMarker.run(undefined, db)),
  confirm: () => storage.confirmStorageMarker.run(undefined, writes),
});

import { Permits, type Queryable } from "#kit";
import * as attachments from "#sql/helpdesk/attachments";
import type { ListableStorage } from "../../platform/storage/storage.ts";

const PREFIX = "helpdesk/";
const ROWS_AT_ONCE = 1_000;
/** The lowest possible id. */
const FIRST = "00000000-0000-0000-0000-000000000000";
const STORAGE_CALLS_AT_ONCE = 16;

type Parts = {
  db: Queryable;
  storage: ListableStorage;
  /**
   * Objects that are younger than this time are skipped, because an upload on another instance may be in progress.
   */
  olderThan: Date;
};

/** The number of objects without a row, of message images without an object, and of images with both (`matched`). */
export type ImageDifferences = { objects: number; rows: number; matched: number };

/** Compares image rows with the objects in the storage, in both directions and in batches. Changes nothing. */
export const compareImages = (parts: Parts): Promise<ImageDifferences> => visit(parts, {});

/**
 * Deletes objects without a row, and marks rows without an object as deleted, so that messages do not show images
 * that cannot be loaded.
 * @returns the same counts as `compareImages`
 */
export const reconcileImages = (parts: Parts): Promise<ImageDifferences> =>
  visit(parts, {
    onObject: (key) => parts.storage.delete(key),
    onRows: (ids) => attachments.markImagesLost.run({ ids }, parts.db),
  });

type Actions = { onObject?: (key: string) => Promise<void>; onRows?: (ids: string[]) => Promise<unknown> };

async function visit({ db, storage, olderThan }: Parts, { onObject, onRows }: Actions) {
  const found = { objects: 0, rows: 0, matched: 0 };
  const calls = new Permits({ storage: { max: STORAGE_CALLS_AT_ONCE, waiting: Infinity } });
  const limited = <T>(work: () => Promise<T>) => calls.run({ storage: "" }, {}, work);
  for await (const files of storage.list(PREFIX)) {
    const keys = files.flatMap(({ key, modifiedAt }) => (modifiedAt < olderThan ? [key] : []));
    const unknown = await attachments.listUnknownKeys.run({ keys }, db);
    if (onObject) await Promise.all(unknown.map(({ key }) => limited(() => onObject(key))));
    found.objects += unknown.length;
  }
  for (let after = FIRST; ; ) {
    const images = await attachments.listImagesAfter.run({ after, max: ROWS_AT_ONCE }, db);
    const areStored = await Promise.all(
      images.map(({ storageKey }) => limited(() => storage.has(storageKey))),
    );
    const lost = images.filter((_, index) => !areStored[index]).map(({ id }) => id);
    if (onRows && lost.length > 0) await onRows(lost);
    found.rows += lost.length;
    found.matched += images.length - lost.length;
    after = images.at(-1)?.id ?? after;
    if (images.length < ROWS_AT_ONCE) return found;
  }
}

import * as attachments from "#sql/helpdesk/attachments";
import { type Service, systemCall } from "../../core/context.ts";
import { transaction } from "../../platform/db/transaction.ts";

const BATCH_SIZE = 100;

/** Deletes images that a crash left behind: those that have not been attached to a message within an hour. */
export async function sweepImages(service: Service): Promise<void> {
  await transaction(systemCall(service), (tx) => attachments.markAbandoned.run(undefined, tx.db));
  while ((await deleteAbandoned(service, null)) === BATCH_SIZE);
}

/**
 * Deletes the objects of images that are marked as abandoned, then their rows; those of all tickets if `ids` is null.
 * @returns the number of images found, at most `BATCH_SIZE`
 */
export async function deleteAbandoned(service: Service, ids: string[] | null): Promise<number> {
  const abandoned = await attachments.listAbandoned.run({ ids, max: BATCH_SIZE }, service.db);
  const deleted = await Promise.allSettled(
    abandoned.map(({ storageKey }) => service.app.storage.delete(storageKey)),
  );
  const gone = abandoned.flatMap(({ id }, index) => (deleted[index]?.status === "fulfilled" ? [id] : []));
  await transaction(systemCall(service), (tx) => attachments.deleteAttachmentRows.run({ ids: gone }, tx.db));
  // The next run starts with the same images, so one failure must not stop the others.
  for (const outcome of deleted) if (outcome.status === "rejected") throw outcome.reason;
  return abandoned.length;
}

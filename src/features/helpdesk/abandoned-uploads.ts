import { type JobKind, type Service, systemCall, transaction } from "#kit";
import * as attachments from "#sql/helpdesk/attachments";

const BATCH_SIZE = 100;

/** Deletes images that were not attached to a message within an hour, for example because the process crashed. */
export async function sweepImages(service: Service): Promise<void> {
  await transaction(systemCall(service), (tx) => attachments.markAbandoned.run(undefined, tx.db));
  while ((await deleteAbandoned(service, null)) === BATCH_SIZE);
}

export const helpdeskJobs: JobKind<Service>[] = [
  { queue: "helpdesk.sweep", schedule: "7,37 * * * *", run: sweepImages },
];

/**
 * Deletes the objects of images that are marked as abandoned, and then their rows. If `ids` is null, deletes all
 * abandoned images.
 * @returns the number of images found, at most `BATCH_SIZE`
 */
export async function deleteAbandoned(service: Service, ids: string[] | null): Promise<number> {
  const abandoned = await attachments.listAbandoned.run({ ids, max: BATCH_SIZE }, service.db);
  const deleted = await Promise.allSettled(
    abandoned.map(({ storageKey }) => service.app.storage.delete(storageKey)),
  );
  const gone = abandoned.flatMap(({ id }, index) => (deleted[index]?.status === "fulfilled" ? [id] : []));
  await transaction(systemCall(service), (tx) => attachments.deleteAttachmentRows.run({ ids: gone }, tx.db));
  // A failed deletion is reported only after the others, because the next run starts with the same images.
  for (const outcome of deleted) if (outcome.status === "rejected") throw outcome.reason;
  return abandoned.length;
}

import * as attachments from "#sql/helpdesk/attachments";
import { type App, systemCall } from "../../core/context.ts";
import { transaction } from "../../platform/db/transaction.ts";

const BATCH_SIZE = 100;

/** Deletes images left by a crash: those that have not been attached to a message for an hour. */
export async function sweepImages(app: App): Promise<void> {
  await transaction(systemCall(app), (tx) => attachments.markAbandoned.run(undefined, tx.db));
  while ((await deleteAbandoned(app, null)) === BATCH_SIZE);
}

/**
 * Deletes the objects of images that are marked as abandoned, then their rows; those of all tickets if `ids` is null.
 * @returns how many were found, at most `BATCH_SIZE`
 */
export async function deleteAbandoned(app: App, ids: string[] | null): Promise<number> {
  const abandoned = await attachments.listAbandoned.run({ ids, max: BATCH_SIZE }, app.db);
  const deleted = await Promise.allSettled(abandoned.map(({ storageKey }) => app.storage.delete(storageKey)));
  const gone = abandoned.flatMap(({ id }, index) => (deleted[index]?.status === "fulfilled" ? [id] : []));
  await transaction(systemCall(app), (tx) => attachments.deleteAttachmentRows.run({ ids: gone }, tx.db));
  // The next run starts with the same ones, so a failure at one of them must not stop the others.
  for (const outcome of deleted) if (outcome.status === "rejected") throw outcome.reason;
  return abandoned.length;
}

import * as attachments from "#sql/helpdesk/attachments";
import { type App, callOfJob, type SignedInCall, type Tx } from "../../core/context.ts";
import { lockUsers } from "../../core/locks.ts";
import { only } from "../../platform/db/prepared-query.ts";
import { transaction } from "../../platform/db/transaction.ts";
import type { Upload } from "../../platform/http/form.ts";
import { tooManyImages, uploadQuotaExceeded } from "../../platform/http/form-errors.ts";
import type { CleanImage } from "../../platform/images/clean.ts";
import { safeFileName } from "./file-name.ts";

/*
 * Images around the transaction that makes their message. Their rows come first and reserve the quota, then the objects
 * are stored, then one transaction writes the message and makes both final. Whatever fails, nothing is left behind: what
 * this process cannot clear away any more, the sweep does.
 */

const MAX_IN_TICKET = 50;
const MAX_BYTES_A_DAY = 100 * 1024 * 1024;

type Image = CleanImage & { fileName: string };
/** Hangs the stored images on a message; those that go with a new ticket know its id already. */
export type Attach = (tx: Tx, messageId: string) => Promise<void>;

/** @throws uploadQuotaExceeded from what it is given */
type Place<C extends SignedInCall> = (tx: Tx<C>, refuseBeyondQuota: () => Promise<void>) => Promise<string>;

/** The images of a form, cleaned. @throws unsupportedImage, malformedImage */
export async function cleanImages(app: App, images: Upload[]): Promise<Image[]> {
  const cleaned: Image[] = [];
  for (const { fileName, bytes } of images) {
    const image = await app.db.pauseWhile(() => app.images.clean(bytes));
    cleaned.push({ ...image, fileName: safeFileName(fileName, image.extension) });
  }
  return cleaned;
}

/**
 * Stores images, runs `work` in its transaction, and lets it attach them.
 * @param place finds in a transaction of its own the ticket they go to; it asks for the quota before the ticket's state
 * @throws tooManyImages, uploadQuotaExceeded, what the storage throws, and what `place` and `work` throw
 */
export async function withImages<C extends SignedInCall, T>(
  call: C,
  images: Image[],
  place: Place<C>,
  work: (tx: Tx<C>, attach: Attach, ticketId: string | null) => Promise<T>,
): Promise<T> {
  if (images.length === 0) return transaction(call, (tx) => work(tx, async () => {}, null));
  const { ticketId, rows } = await transaction(call, (tx) => reserve(tx, images, place));
  const ids = rows.map(({ id }) => id);
  const attach: Attach = async (tx, messageId) => {
    const attached = await attachments.attachToMessage.run({ messageId, ids }, tx.db);
    if (attached.length !== ids.length) throw new Error("The images were swept away");
  };
  try {
    await call.app.db.pauseWhile(() => store(call.app, images, rows));
    return await transaction(call, (tx) => work(tx, attach, ticketId));
  } catch (error) {
    await giveUp(call.app, ids).catch((err) =>
      call.app.log.error("images left to the sweep", { err, requestId: call.requestId }),
    );
    throw error;
  }
}

/** Stores all of them, and answers only when none is on its way any more. */
async function store(app: App, images: Image[], rows: { storageKey: string; position: number }[]) {
  const stored = await Promise.allSettled(
    rows.map(({ storageKey, position }) => {
      const image = images[position - 1] as Image;
      return app.storage.put(storageKey, image.bytes, image.contentType);
    }),
  );
  for (const outcome of stored) if (outcome.status === "rejected") throw outcome.reason;
}

async function reserve<C extends SignedInCall>(tx: Tx<C>, images: Image[], place: Place<C>) {
  const { userId } = tx.actor;
  // One upload of a user after the other, or two would find the same room.
  await lockUsers(tx, [userId]);
  const sizes = images.map((image) => image.bytes.length);
  const ticketId = await place(tx, () => refuseBeyondQuota(tx, sizes));
  const { count } = only(await attachments.countImages.run({ ticketId }, tx.db));
  if (count + images.length > MAX_IN_TICKET) throw tooManyImages();
  const rows = await attachments.reserveAttachments.run(
    {
      ticketId,
      userId,
      sizes,
      fileNames: images.map(({ fileName }) => fileName),
      contentTypes: images.map(({ contentType }) => contentType),
      widths: images.map(({ width }) => width),
      heights: images.map(({ height }) => height),
    },
    tx.db,
  );
  return { ticketId, rows };
}

async function refuseBeyondQuota({ db, actor }: Tx<SignedInCall>, sizes: number[]): Promise<void> {
  const { bytes, secondsLeft } = only(await attachments.sumUploads.run({ userId: actor.userId }, db));
  if (bytes + sizes.reduce((sum, size) => sum + size, 0) > MAX_BYTES_A_DAY)
    throw uploadQuotaExceeded(Math.max(secondsLeft, 1));
}

/** Clears away images that got no message. Each step may be the last one that works: the next sweep goes on from there. */
async function giveUp(app: App, ids: string[]): Promise<void> {
  const call = callOfJob(app);
  await transaction(call, (tx) => attachments.markAttachmentsAbandoned.run({ ids }, tx.db));
  await clear(app, ids);
}

const MAX_AT_ONCE = 100;

/** Clears away what a crash left: images that have waited for their message for an hour. */
export async function sweepImages(app: App): Promise<void> {
  await transaction(callOfJob(app), (tx) => attachments.markAbandoned.run(undefined, tx.db));
  while ((await clear(app, null)) === MAX_AT_ONCE);
}

async function clear(app: App, ids: string[] | null): Promise<number> {
  const given = await attachments.listAbandoned.run({ ids, max: MAX_AT_ONCE }, app.db);
  const deleted = await Promise.allSettled(given.map(({ storageKey }) => app.storage.delete(storageKey)));
  const gone = given.flatMap(({ id }, index) => (deleted[index]?.status === "fulfilled" ? [id] : []));
  await transaction(callOfJob(app), (tx) => attachments.deleteAttachmentRows.run({ ids: gone }, tx.db));
  // The next try comes to the same ones first, and must not come to a halt at one of them.
  for (const outcome of deleted) if (outcome.status === "rejected") throw outcome.reason;
  return given.length;
}

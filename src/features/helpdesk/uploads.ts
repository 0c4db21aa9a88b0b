import { exactlyOne, type Service, type SignedInCall, systemCall, type Tx, transaction } from "#kit";
import { lockUsers } from "#kit/inside";
import * as attachments from "#sql/helpdesk/attachments";
import type { Upload } from "../../core/forms/form.ts";
import {
  DAILY_QUOTA,
  MAX_IMAGES_PER_TICKET,
  malformedImage,
  tooManyImages,
  unsupportedImage,
  uploadQuotaExceeded,
} from "../../core/forms/image-limits.ts";
import type { CleanImage } from "../../platform/images/clean.ts";
import { deleteAbandoned } from "./abandoned-uploads.ts";
import { safeFileName } from "./file-name.ts";
import type { LimitedAction } from "./limits.ts";

/*
 * Attaches images to a message in four steps:
 * - clean the images
 * - reserve their rows, and so their part of the quota, in a separate transaction
 * - store the objects outside of any transaction
 * - attach the images in the transaction that writes the message
 *
 * After a failure the reservation is marked as abandoned, and the cleanup job deletes what this process cannot
 * delete.
 */

type Image = CleanImage & { fileName: string };

/** The reserved rows for the images of one message; null for a message without images. */
export type Reservation = {
  ticketId: string;
  images: { id: string; storageKey: string; image: Image }[];
};

/**
 * Reserves and stores the images of a message, and then writes the message. After a failure the images are abandoned
 * and the slot is given back.
 * @param place returns the id of the ticket; calls `charge` to check the limits of messages and of images
 * @throws unsupportedImage, malformedImage, tooManyImages, uploadQuotaExceeded, and the errors of `place` and `write`
 */
export async function withImages<Result>(
  call: SignedInCall,
  { uploads, slot }: { uploads: Upload[]; slot: LimitedAction },
  place: (tx: Tx<SignedInCall>, charge: () => Promise<void>) => Promise<string>,
  write: (reservation: Reservation | null) => Promise<Result>,
): Promise<Result> {
  const images = await cleanImages(call, uploads);
  let reservation: Reservation | null = null;
  try {
    if (images.length > 0)
      reservation = await transaction(call, async (tx) => {
        // Two concurrent uploads of a user could otherwise use the same part of the quota.
        await lockUsers(tx, [tx.actor.userId]);
        const charge = async () => {
          slot.consume();
          await assertUploadQuotaLeft(tx, images);
        };
        return reserveImages(tx, await place(tx, charge), images);
      });
    await storeImages(call, reservation);
    return await write(reservation);
  } catch (error) {
    await abandonImages(call, reservation);
    slot.refund();
    throw error;
  }
}

/** Cleans the images of a form: checks them and removes metadata. @throws unsupportedImage, malformedImage */
async function cleanImages({ app, db }: Service, uploads: Upload[]): Promise<Image[]> {
  const cleaned: Image[] = [];
  for (const { fileName, bytes } of uploads) {
    const image = await db.excludeFromDeadline(() => app.images.clean(bytes));
    if ("refused" in image)
      throw image.refused === "unsupported" ? unsupportedImage(image.type) : malformedImage();
    cleaned.push({ ...image, fileName: safeFileName(fileName, image.extension) });
  }
  return cleaned;
}

/** Checks that the images fit into the user's upload quota. Call under the user's lock. @throws uploadQuotaExceeded */
async function assertUploadQuotaLeft({ db, actor }: Tx<SignedInCall>, images: Image[]): Promise<void> {
  const { points, perSeconds: seconds } = DAILY_QUOTA;
  const counted = await attachments.sumUploads.run({ userId: actor.userId, seconds }, db);
  const { bytes, secondsLeft } = exactlyOne(counted);
  const added = images.reduce((sum, image) => sum + image.bytes.length, 0);
  if (bytes + added > points) throw uploadQuotaExceeded(Math.max(secondsLeft, 1));
}

/**
 * Reserves rows for the images of a message. Call under the ticket's row lock, if the ticket exists already.
 * @throws tooManyImages
 */
async function reserveImages(tx: Tx<SignedInCall>, ticketId: string, images: Image[]): Promise<Reservation> {
  const { count } = exactlyOne(await attachments.countImages.run({ ticketId }, tx.db));
  if (count + images.length > MAX_IMAGES_PER_TICKET) throw tooManyImages();
  const rows = await attachments.reserveAttachments.run(
    {
      ticketId,
      userId: tx.actor.userId,
      sizes: images.map(({ bytes }) => bytes.length),
      fileNames: images.map(({ fileName }) => fileName),
      contentTypes: images.map(({ contentType }) => contentType),
      widths: images.map(({ width }) => width),
      heights: images.map(({ height }) => height),
    },
    tx.db,
  );
  const reserved = rows.map(({ position, ...row }) => ({ ...row, image: images[position - 1] as Image }));
  return { ticketId, images: reserved };
}

/**
 * Stores all images. Returns, also after an error, only when no upload is running any more. @throws errors of the
 * storage
 */
async function storeImages(
  { app: { storage }, db }: Service,
  reservation: Reservation | null,
): Promise<void> {
  if (reservation === null) return;
  const stored = await db.excludeFromDeadline(() =>
    Promise.allSettled(
      reservation.images.map(({ storageKey, image }) =>
        storage.put(storageKey, image.bytes, image.contentType),
      ),
    ),
  );
  for (const outcome of stored) if (outcome.status === "rejected") throw outcome.reason;
}

/** Attaches the images to a message that is written in the same transaction. */
export async function attachImages(
  tx: Tx,
  reservation: Reservation | null,
  messageId: string,
): Promise<void> {
  if (reservation === null) return;
  const ids = reservation.images.map(({ id }) => id);
  const attached = await attachments.attachToMessage.run({ messageId, ids }, tx.db);
  if (attached.length !== ids.length) throw new Error("The images were swept away");
}

/** Deletes images that were not attached to a message. If a step fails, the cleanup job continues later. */
async function abandonImages(call: SignedInCall, reservation: Reservation | null): Promise<void> {
  if (reservation === null) return;
  const ids = reservation.images.map(({ id }) => id);
  try {
    await transaction(systemCall(call), (tx) => attachments.markAttachmentsAbandoned.run({ ids }, tx.db));
    await deleteAbandoned(call, ids);
  } catch (err) {
    call.log.error("images left to the sweep", { err, requestId: call.requestId });
  }
}

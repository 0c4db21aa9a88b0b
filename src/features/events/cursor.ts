import { crc32 } from "node:zlib";
import { validationFailed } from "../../platform/errors.ts";

/**
 * The place in a list at which the next request continues. It belongs to one list of one organization, and to an epoch of
 * the organization's numbering.
 */
export type Cursor = { list: string; epoch: string; position: string };

const FIELD = "after";

/** Writes a cursor as opaque text, with a checksum, so that a truncated one is not taken for another. */
export function encodeCursor({ list, epoch, position }: Cursor): string {
  const text = `${list} ${epoch} ${position}`;
  return Buffer.from(`${text} ${checksum(text)}`).toString("base64url");
}

/**
 * Reads a cursor of a list, whose positions `isPosition` recognizes.
 * @throws validationFailed for another text, and for a cursor of another list
 */
export function decodeCursor(
  list: string,
  cursor: string,
  isPosition: (position: string) => boolean,
): Cursor {
  const [ofList, epoch, position, sum, ...rest] = Buffer.from(cursor, "base64url").toString().split(" ");
  const isComplete = ofList !== undefined && epoch !== undefined && position !== undefined;
  if (isComplete && rest.length === 0) {
    const read = { list: ofList, epoch, position };
    const isIntact = sum === checksum(`${ofList} ${epoch} ${position}`) && encodeCursor(read) === cursor;
    if (isIntact && ofList === list && isPosition(position)) return read;
  }
  throw validationFailed([{ path: FIELD, message: `${FIELD} must be a cursor of this list` }]);
}

const checksum = (text: string) => crc32(text).toString(36);

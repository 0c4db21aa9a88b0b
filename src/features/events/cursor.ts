import { crc32 } from "node:zlib";
import { validationFailed } from "#kit";

/**
 * The position from which the next page of a list continues. A cursor is valid only for one list of one
 * organization, and only while the organization's event numbers belong to the same epoch: restoring a backup begins
 * a new epoch.
 */
export type Cursor = { list: string; epoch: string; position: string };

const FIELD = "after";

/** Encodes a cursor as opaque text with a checksum, so that a truncated cursor is rejected. */
export function encodeCursor({ list, epoch, position }: Cursor): string {
  const text = `${list} ${epoch} ${position}`;
  return Buffer.from(`${text} ${checksum(text)}`).toString("base64url");
}

/**
 * Decodes a cursor of the given list. `isPosition` checks the position that it contains.
 * @throws validationFailed for text that is no cursor, or for a cursor of another list
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

import { Source } from "./source.ts";

/**
 * The signatures of all tags that an edition of ICC.1 defines, from 3.4 (1997) to 4.4 (2022). Makers of displays add
 * private ones, which hold serial numbers, names and calibrations.
 */
const DEFINED = new Set([
  ...["desc", "cprt", "dmnd", "dmdd", "targ", "calt", "tech", "meta", "pseq", "psid", "vued", "view"],
  ...["wtpt", "bkpt", "lumi", "meas", "chad", "chrm", "cicp", "ciis", "resp", "rig0", "rig2"],
  ...["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC", "gamt", "pre0", "pre1", "pre2"],
  ...["A2B0", "A2B1", "A2B2", "B2A0", "B2A1", "B2A2"],
  ...["D2B0", "D2B1", "D2B2", "D2B3", "B2D0", "B2D1", "B2D2", "B2D3"],
  ...["ncol", "ncl2", "clrt", "clot", "clro", "bfd ", "scrd", "scrn", "devs"],
  ...["crdi", "psd0", "psd1", "psd2", "psd3", "ps2s", "ps2i"],
]);

const SIGNATURE_AT = 36;
/** The position and length of the profile's id, a digest of its content; zeros if it was not computed. */
const ID_AT = 84;
const ID_LENGTH = 16;
const HEADER_LENGTH = 128;
/** The position of the first entry of the table of tags; the number of entries is before it. */
const TABLE_AT = HEADER_LENGTH + 4;
const ENTRY_LENGTH = 12;
/** The minimum length of a tag: the signature of its type. */
const MIN_TAG_LENGTH = 4;

type Tag = { signature: string; start: number; end: number };
/** Bytes of tags that overlap, or of one tag; `to` is their position in the cleaned profile. */
type Block = { start: number; end: number; to: number };

/**
 * Removes the tags of an ICC profile that no edition of ICC.1 defines, with their bytes. The tags that stay define the
 * colours.
 * @returns the given bytes if there was nothing to remove; null if they are no profile, which decoders ignore
 */
export function cleanProfile(profile: Uint8Array): Uint8Array | null {
  const tags = readTags(new Source(profile));
  if (tags === null || tags.every(({ signature }) => DEFINED.has(signature))) return tags && profile;
  const kept = firstDefined(tags);
  const tableEnd = TABLE_AT + tags.length * ENTRY_LENGTH;
  return kept.every(({ start }) => start >= tableEnd) ? withTags(profile, kept) : null;
}

/** Returns the first tag of each defined signature: decoders use no other one. */
function firstDefined(tags: Tag[]): Tag[] {
  const missing = new Set(DEFINED);
  return tags.filter(({ signature }) => missing.delete(signature));
}

/** Reads the table of tags; null unless the profile has its signature and length, and every tag is within it. */
function readTags(source: Source): Tag[] | null {
  if (source.length < TABLE_AT || source.uint32(0) !== source.length) return null;
  if (!source.has(SIGNATURE_AT, "acsp")) return null;
  const count = source.uint32(HEADER_LENGTH);
  if (count > (source.length - TABLE_AT) / ENTRY_LENGTH) return null;
  const tags: Tag[] = [];
  for (let at = TABLE_AT; tags.length < count; at += ENTRY_LENGTH) {
    const start = source.uint32(at + 4);
    const end = start + source.uint32(at + 8);
    if (end - start < MIN_TAG_LENGTH || end > source.length) return null;
    tags.push({ signature: source.text(at, 4), start, end });
  }
  return tags;
}

/** Builds the profile anew with these tags, in their order. Tags that share bytes share them afterwards, too. */
function withTags(profile: Uint8Array, tags: Tag[]): Uint8Array {
  const blocks = new Map<Tag, Block>();
  let length = TABLE_AT + tags.length * ENTRY_LENGTH;
  let block: Block | null = null;
  for (const tag of tags.toSorted((one, other) => one.start - other.start)) {
    if (block === null || tag.start >= block.end) {
      if (block !== null) length += paddedLength(block);
      block = { start: tag.start, end: tag.end, to: length };
    }
    block.end = Math.max(block.end, tag.end);
    blocks.set(tag, block);
  }
  if (block !== null) length += paddedLength(block);

  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  bytes.set(profile.subarray(0, HEADER_LENGTH));
  bytes.fill(0, ID_AT, ID_AT + ID_LENGTH);
  view.setUint32(0, length);
  view.setUint32(HEADER_LENGTH, tags.length);
  for (const { start, end, to } of new Set(blocks.values())) bytes.set(profile.subarray(start, end), to);
  tags.forEach((tag, index) => {
    const at = TABLE_AT + index * ENTRY_LENGTH;
    const { start, to } = blocks.get(tag) as Block;
    for (let place = 0; place < 4; place += 1) bytes[at + place] = tag.signature.charCodeAt(place);
    view.setUint32(at + 4, to + tag.start - start);
    view.setUint32(at + 8, tag.end - tag.start);
  });
  return bytes;
}

/** Tags begin at multiples of four bytes. */
const paddedLength = ({ start, end }: Block) => (end - start + 3) & ~3;

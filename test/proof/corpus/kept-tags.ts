import type { Tags } from "./decoders.ts";

/** The tags that a cleaned image may have, by group: its encoding, colours, print size and orientation. "*" stands for all. */
const KEPT_TAGS: Record<string, string> = {
  // Tags of the file itself, and tags that exiftool computes from others.
  ...{ System: "*", Composite: "*" },
  File: `FileType FileTypeExtension MIMEType ImageWidth ImageHeight ExifByteOrder EncodingProcess BitsPerSample
    ColorComponents YCbCrSubSampling`,
  ExifTool: "ExifToolVersion",
  JFIF: "JFIFVersion ResolutionUnit XResolution YResolution",
  Adobe: "DCTEncodeVersion APP14Flags0 APP14Flags1 ColorTransform",
  IFD0: "Orientation",
  // With ICC_Profile, for the tags that cannot be read in a broken colour profile.
  PNG: `ImageWidth ImageHeight BitDepth ColorType Compression Filter Interlace Palette Transparency Gamma WhitePointX
    WhitePointY RedX RedY GreenX GreenY BlueX BlueY SRGBRendering SignificantBits BackgroundColor PaletteHistogram
    ProfileName ICC_Profile AnimationFrames AnimationPlays`,
  "PNG-pHYs": "PixelsPerUnitX PixelsPerUnitY PixelUnits",
  "PNG-cICP": "*",
  RIFF: `WebP_Flags ImageWidth ImageHeight BackgroundColor AnimationLoopCount FrameCount Duration AlphaPreprocessing
    AlphaFiltering AlphaCompression AlphaIsUsed VP8Version HorizontalScale VerticalScale`,
  GIF: `GIFVersion ImageWidth ImageHeight HasColorMap ColorResolutionDepth BitsPerPixel BackgroundColor PixelAspectRatio
    AnimationIterations FrameCount Duration TransparentColor`,
};
const KEPT = new Map(Object.entries(KEPT_TAGS).map(([group, names]) => [group, names.split(/\s+/)]));

/**
 * Returns the tags that should have been removed. A warning that was there before cleaning may remain, for example
 * of a broken profile.
 */
export function remainingTags(before: Tags, after: Tags): string[] {
  return Object.keys(after).filter((tag) => {
    if (tag === "ExifTool:Warning" && "ExifTool:Warning" in before) return false;
    const [group = "", name = ""] = tag.split(":");
    if (group.startsWith("ICC")) return false;
    const kept = KEPT.get(group) ?? [];
    return kept[0] !== "*" && !kept.includes(name);
  });
}

/** The tags of ICC profiles that define colours, or that ICC.1 requires. */
const ICC_TAGS =
  /^(?:[rgb]XYZ|[rgbk]TRC|[AB]2[AB][012]|[DB]2[DB][0123]|desc|cprt|wtpt|bkpt|chad|chrm|lumi|meas|tech|gamt|ncl2|pseq)$/;
const FORMATS_WITH_ORIENTATION: unknown[] = ["JPEG", "PNG"];

/** Returns the tags that cleaning must keep: the colour profile, and an orientation that turns the image. */
export function lostTags(before: Tags, after: Tags): string[] {
  const format = before["File:FileType"];
  const turn = before["IFD0:Orientation"];
  const left = after["IFD0:Orientation"];
  const isTurned =
    FORMATS_WITH_ORIENTATION.includes(format) && typeof turn === "number" && turn >= 2 && turn <= 8;
  const kept = isTurned ? turn : undefined;
  // The orientation of a PNG may also be in a text or after the pixels, where no browser reads it.
  const isLost = left !== kept && !(format === "PNG" && left === undefined);
  return [
    ...(isLost ? [`Orientation ${turn} became ${left}`] : []),
    ...lostOfProfile(bytesOf(before["ICC_Profile:ICC_Profile"]), bytesOf(after["ICC_Profile:ICC_Profile"])),
  ];
}

const bytesOf = (tag: unknown): Buffer | null =>
  typeof tag === "string" && tag.startsWith("base64:") ? Buffer.from(tag.slice(7), "base64") : null;

/** Compares the colour profiles tag by tag, because private tags are removed. */
function lostOfProfile(before: Buffer | null, after: Buffer | null): string[] {
  if (before === null || after?.equals(before)) return [];
  const [old, clean] = [profileTags(before), after === null ? null : profileTags(after)];
  if (old === null || clean === null)
    return old === null && after === null ? [] : ["the ICC profile is lost"];
  const lost = [...old].filter(
    ([name, data]) => (ICC_TAGS.test(name) || clean.has(name)) && clean.get(name) !== data,
  );
  return lost.map(([name]) => `the tag ${name} of the ICC profile changed`);
}

/** Returns the data of each tag of an ICC profile; null if it is none. */
function profileTags(profile: Buffer): Map<string, string> | null {
  if (profile.length < 132 || profile.readUInt32BE(0) !== profile.length) return null;
  if (profile.toString("latin1", 36, 40) !== "acsp") return null;
  const tags = new Map<string, string>();
  for (let index = profile.readUInt32BE(128) - 1; index >= 0; index -= 1) {
    const at = 132 + index * 12;
    if (at + 12 > profile.length) return null;
    const start = profile.readUInt32BE(at + 4);
    const end = start + profile.readUInt32BE(at + 8);
    if (end > profile.length) return null;
    tags.set(profile.toString("latin1", at, at + 4), profile.toString("base64", start, end));
  }
  return tags;
}

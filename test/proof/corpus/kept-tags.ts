import type { Tags } from "./decoders.ts";

/** The tags that a cleaned image may have: its encoding, colours, print size and orientation. */
const KEPT: Record<string, string[] | "all"> = {
  // Tags of the file itself, and tags that exiftool computes from others.
  System: "all",
  Composite: "all",
  File: [
    ...[
      "FileType",
      "FileTypeExtension",
      "MIMEType",
      "ImageWidth",
      "ImageHeight",
      "ExifByteOrder",
      "EncodingProcess",
    ],
    ...["BitsPerSample", "ColorComponents", "YCbCrSubSampling"],
  ],
  ExifTool: ["ExifToolVersion"],
  JFIF: ["JFIFVersion", "ResolutionUnit", "XResolution", "YResolution"],
  Adobe: ["DCTEncodeVersion", "APP14Flags0", "APP14Flags1", "ColorTransform"],
  IFD0: ["Orientation"],
  PNG: [
    ...[
      "ImageWidth",
      "ImageHeight",
      "BitDepth",
      "ColorType",
      "Compression",
      "Filter",
      "Interlace",
      "Palette",
    ],
    ...[
      "Transparency",
      "Gamma",
      "WhitePointX",
      "WhitePointY",
      "RedX",
      "RedY",
      "GreenX",
      "GreenY",
      "BlueX",
      "BlueY",
    ],
    ...["SRGBRendering", "SignificantBits", "BackgroundColor", "PaletteHistogram", "ProfileName"],
    // Tags that cannot be read in a broken colour profile.
    "ICC_Profile",
    ...["AnimationFrames", "AnimationPlays"],
  ],
  "PNG-pHYs": ["PixelsPerUnitX", "PixelsPerUnitY", "PixelUnits"],
  "PNG-cICP": "all",
  RIFF: [
    ...[
      "WebP_Flags",
      "ImageWidth",
      "ImageHeight",
      "BackgroundColor",
      "AnimationLoopCount",
      "FrameCount",
      "Duration",
    ],
    ...["AlphaPreprocessing", "AlphaFiltering", "AlphaCompression", "AlphaIsUsed", "VP8Version"],
    ...["HorizontalScale", "VerticalScale"],
  ],
  GIF: [
    ...["GIFVersion", "ImageWidth", "ImageHeight", "HasColorMap", "ColorResolutionDepth", "BitsPerPixel"],
    ...[
      "BackgroundColor",
      "PixelAspectRatio",
      "AnimationIterations",
      "FrameCount",
      "Duration",
      "TransparentColor",
    ],
  ],
};

/**
 * Returns the tags that should have been removed. A warning that was there before cleaning may remain, for example
 * of a broken profile.
 */
export function remainingTags(before: Tags, after: Tags): string[] {
  return Object.keys(after).filter((tag) => {
    if (tag === "ExifTool:Warning" && "ExifTool:Warning" in before) return false;
    const [group = "", name = ""] = tag.split(":");
    if (group.startsWith("ICC")) return false;
    const kept = KEPT[group];
    return kept !== "all" && !kept?.includes(name);
  });
}

/** Returns the tags that cleaning must keep: the colour profile, and an orientation that turns the image. */
export function lostTags(before: Tags, after: Tags): string[] {
  const turn = before["IFD0:Orientation"];
  // Only cleaning a JPEG keeps its orientation.
  const isTurned = before["File:FileType"] === "JPEG" && typeof turn === "number" && turn >= 2 && turn <= 8;
  const kept = isTurned ? turn : undefined;
  return [
    ...(after["IFD0:Orientation"] === kept
      ? []
      : [`Orientation ${turn} became ${after["IFD0:Orientation"]}`]),
    ...(before["ICC_Profile:ICC_Profile"] === after["ICC_Profile:ICC_Profile"]
      ? []
      : ["the ICC profile changed"]),
  ];
}

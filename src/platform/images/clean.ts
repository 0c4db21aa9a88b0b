import type { CleanImage } from "./clean-image.ts";
import { cleanGif } from "./gif.ts";
import { cleanJpeg } from "./jpeg.ts";
import { otherTypeOf } from "./other-types.ts";
import { cleanPng } from "./png.ts";
import { UnsupportedImage } from "./refusals.ts";
import { Source } from "./source.ts";
import { cleanWebp } from "./webp.ts";

export type { CleanImage } from "./clean-image.ts";
export { MalformedImage, UnsupportedImage } from "./refusals.ts";

/**
 * Removes the metadata of an image without decoding it, so that its pixels do not change (rules 21.3). The type is
 * detected from the content alone (rules 21.1). The file of each format describes what is kept.
 * - Takes time and memory linear in the file's size. Cleaning a cleaned image changes nothing.
 * - If there was nothing to remove, the `bytes` of the result are the given ones.
 * @throws UnsupportedImage for files of another type, and empty ones; MalformedImage
 */
export function cleanImage(bytes: Uint8Array): CleanImage {
  const source = new Source(bytes);
  if (source.has(0, "\x89PNG\r\n\x1a\n"))
    return { ...cleanPng(source), contentType: "image/png", extension: "png" };
  if (source.has(0, "\xff\xd8\xff"))
    return { ...cleanJpeg(source), contentType: "image/jpeg", extension: "jpg" };
  if (source.has(0, "RIFF") && source.has(8, "WEBP"))
    return { ...cleanWebp(source), contentType: "image/webp", extension: "webp" };
  if (source.has(0, "GIF87a") || source.has(0, "GIF89a"))
    return { ...cleanGif(source), contentType: "image/gif", extension: "gif" };
  throw new UnsupportedImage(otherTypeOf(source));
}

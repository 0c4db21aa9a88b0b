import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type CleanImage, cleanImage, MalformedImage, UnsupportedImage } from "#src/platform/images/clean";
import { decodesWithoutWarnings, framesOf, pixelsOf, tagsOf } from "./decoders.ts";
import { partsOf } from "./jpeg-parts.ts";
import { lostTags, remainingTags } from "./kept-tags.ts";

/**
 * `bun test/proof/corpus/run.ts folder…` finds real images that cleaning changes, rejects without a reason, or leaves
 * metadata in. It cleans every image below the folders. Two decoders must see the same pixels before and after.
 * exiftool must find only tags that are kept. A rejected image must have a flaw. `.ci/corpus` downloads images.
 */
type Cleaned = { name: string; before: string; after: string; image: CleanImage };

const folders = process.argv.slice(2);
const work = await mkdtemp(join(tmpdir(), "corpus-"));
const failures: string[] = [];
const refused: string[] = [];
const cleaned: Cleaned[] = [];
const undecoded: string[] = [];

for (const folder of folders) {
  const names = await readdir(folder, { recursive: true });
  for (const name of names.sort()) await clean(join(folder, name), relative(folder, join(folder, name)));
}
await compare();
await rm(work, { recursive: true });

// Without decoders no difference would be found, so their absence is an error.
if (undecoded.length > cleaned.length / 20) failures.push("too few of the images could be decoded");
console.log(
  `${undecoded.length} clean, but not decoded here; of the JPEGs among them every part was compared`,
);
console.log(`${refused.length} refused, as decoders complain of them, too`);
for (const failure of failures) console.error(failure);
console.log(`${cleaned.length} images, ${failures.length} failures`);
process.exit(failures.length === 0 && cleaned.length > 0 ? 0 : 1);

async function clean(path: string, name: string): Promise<void> {
  if (!(await lstat(path)).isFile()) return;
  const bytes = await bytesOf(path);
  try {
    const image = cleanImage(bytes);
    if (cleanImage(image.bytes).bytes !== image.bytes) failures.push(`${name}: cleaning again changes it`);
    // Both versions of an image have the same file name, because decoders also consider names.
    const file = join(work, `${cleaned.length}`);
    const [before, after] = [`${file}-before.${image.extension}`, `${file}-after.${image.extension}`];
    await writeFile(before, bytes);
    await writeFile(after, image.bytes);
    cleaned.push({ name, before, after, image });
  } catch (error) {
    if (error instanceof UnsupportedImage) return;
    if (!(error instanceof MalformedImage)) failures.push(`${name}: ${error}`);
    else if (await decodesWithoutWarnings(path))
      failures.push(`${name}: refused, ${error.reason}, and yet flawless`);
    else refused.push(name);
  }
}

async function bytesOf(path: string): Promise<Uint8Array> {
  return new Uint8Array(await readFile(path));
}

async function compare(): Promise<void> {
  const files = cleaned.flatMap(({ before, after }) => [before, after]);
  const [pixels, frames, tags] = await Promise.all([pixelsOf(files), framesOf(files), tagsOf(files)]);
  for (const { name, before, after, image } of cleaned) {
    if (!pixels.has(before) && !frames.has(before)) undecoded.push(name);
    if (image.contentType === "image/jpeg" && partsOf(await bytesOf(before)) !== partsOf(image.bytes))
      failures.push(`${name}: what decoding needs has changed`);
    if (pixels.has(before) && pixels.get(before) !== pixels.get(after))
      failures.push(`${name}: ImageMagick sees other pixels`);
    if (frames.has(before) && frames.get(before) !== frames.get(after))
      failures.push(`${name}: Pillow sees other pixels`);
    const [old, clean] = [tags.get(before), tags.get(after)];
    if (old === undefined || clean === undefined) {
      failures.push(`${name}: exiftool does not read it`);
      continue;
    }
    for (const tag of remainingTags(old, clean)) failures.push(`${name}: ${tag} is left`);
    for (const loss of lostTags(old, clean)) failures.push(`${name}: ${loss}`);
    const seen = Object.entries(clean).filter(([tag]) =>
      /^(File|PNG|RIFF|GIF):Image(Width|Height)$/.test(tag),
    );
    const size = [image.width, image.height];
    if (seen.some(([, value]) => !size.includes(Number(value))))
      failures.push(`${name}: its size is not ${size}`);
  }
}

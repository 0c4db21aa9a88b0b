import { cleanImage } from "#src/platform/images/clean";
import {
  APP,
  chunk,
  exif,
  extension,
  GIF_IMAGE,
  joined,
  LOSSLESS,
  PNG_HEADER,
  PNG_SIGNATURE,
  riffChunk,
  segment,
  vp8x,
  webpOf,
} from "../../support/images.ts";
import { median } from "./stats.ts";

const BYTES = 5 * 1024 * 1024;
const ROUNDS = 31;
/** The number of measurements per round. There are several, so that a short pause of the machine has less effect. */
const TIMES = 5;

/**
 * Prints how long cleaning takes relative to copying, for images that consist of 5 MB of noise and Exif data before
 * the picture.
 */
export function reportImages(): void {
  console.log(
    `${"images of 5 MB".padEnd(40)} MB/s   times a copy   (medians of ${ROUNDS} rounds; aim ≥ 300 MB/s)`,
  );
  for (const [name, image] of Object.entries(images())) {
    const clean = () => cleanImage(image);
    const copy = () => new Uint8Array(image);
    milliseconds(clean);
    milliseconds(copy);
    const rounds = Array.from({ length: ROUNDS }, () => ({
      cleaning: milliseconds(clean),
      copying: milliseconds(copy),
    }));
    const perSecond = median(rounds.map(({ cleaning }) => image.length / 1024 / 1024 / (cleaning / 1000)));
    const ratio = median(rounds.map(({ cleaning, copying }) => cleaning / copying));
    console.log(`${name.padEnd(40)} ${perSecond.toFixed(0).padStart(4)} ${ratio.toFixed(1).padStart(14)}`);
  }
}

function images(): Record<string, Uint8Array> {
  const noise = crypto.getRandomValues(new Uint8Array(60_000));
  const entropy = new Uint8Array(BYTES).map((_, at) => noise[at % noise.length] ?? 0);
  const metadata = exif("MM", [[0x010f, 1]]);
  const blocks = Array.from({ length: BYTES / 256 }, (_, at) => [
    [255],
    entropy.subarray(at * 256, at * 256 + 255),
  ]);
  return {
    jpeg: joined(
      ...[[0xff, 0xd8], segment(APP(1), metadata), segment(0xc0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])],
      ...[segment(0xda, [1, 1, 0, 0, 63, 0]), stuffed(entropy), [0xff, 0xd9]],
    ),
    "jpeg, every other byte stuffed": joined(
      ...[[0xff, 0xd8], segment(APP(1), metadata), segment(0xc0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])],
      ...[segment(0xda, [1, 1, 0, 0, 63, 0]), stuffed(new Uint8Array(BYTES / 2).fill(0xff)), [0xff, 0xd9]],
    ),
    png: joined(PNG_SIGNATURE, PNG_HEADER, chunk("eXIf", metadata), chunk("IDAT", entropy), chunk("IEND")),
    webp: webpOf(vp8x(8), riffChunk("EXIF", metadata), riffChunk("VP8L", joined(LOSSLESS, entropy))),
    gif: joined(
      ...["GIF89a", [1, 0, 1, 0, 0, 0, 0], extension(0xfe, "comment"), GIF_IMAGE.slice(0, 11)],
      ...[...blocks.flat(), [0, 0x3b]],
    ),
  };
}

/** Applies JPEG byte stuffing to scan data: a zero after every 0xFF. */
function stuffed(data: Uint8Array): Uint8Array {
  const result = new Uint8Array(data.length * 2);
  let length = 0;
  for (const byte of data) {
    result[length++] = byte;
    if (byte === 0xff) result[length++] = 0;
  }
  return result.subarray(0, length);
}

function milliseconds(work: () => unknown): number {
  const start = performance.now();
  for (let time = 0; time < TIMES; time += 1) work();
  return (performance.now() - start) / TIMES;
}

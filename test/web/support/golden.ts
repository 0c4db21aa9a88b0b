import { join } from "node:path";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import type { Box, Look, Shot } from "./gallery.ts";

const FOLDER = join(import.meta.dir, "../golden");

/**
 * How much a specimen may differ from its golden image. Another version of Chromium may place letters at other parts
 * of a pixel, so squares of 4 × 4 pixels are compared by their mean color: `SHARE` of them may differ by more than
 * `THRESHOLD`, and a size by `PIXELS`. With Chromium 147 instead of 156, at most 1.8 % differed; with another color,
 * weight of letters or icons, 4 % to 16 %.
 */
const [SQUARE, THRESHOLD, SHARE, PIXELS] = [4, 0.2, 0.03, 3];

const nameOf = ({ colorScheme, language, width }: Look) => `${colorScheme}-${language}-${width}`;

/** Writes a golden image and its boxes. */
export async function saveGolden(look: Look, { image, boxes }: Shot): Promise<void> {
  const bytes = PNG.sync.write(image, { colorType: 2, filterType: 0, deflateLevel: 9, deflateStrategy: 0 });
  await Bun.write(join(FOLDER, `${nameOf(look)}.png`), bytes);
  await Bun.write(join(FOLDER, `${nameOf(look)}.json`), `${JSON.stringify(boxes, null, 2)}\n`);
}

export async function readGolden(look: Look): Promise<Shot> {
  const bytes = await Bun.file(join(FOLDER, `${nameOf(look)}.png`)).bytes();
  const boxes = await Bun.file(join(FOLDER, `${nameOf(look)}.json`)).json();
  return { image: PNG.sync.read(Buffer.from(bytes)), boxes };
}

/** Returns a sentence for each specimen that differs visibly from its golden image. */
export function differences(golden: Shot, shot: Shot): string[] {
  const names = new Set([...Object.keys(golden.boxes), ...Object.keys(shot.boxes)]);
  return [...names].flatMap((name) => {
    const [before, after] = [golden.boxes[name], shot.boxes[name]];
    if (before === undefined || after === undefined) return [`${name} is only in one of both`];
    const isMoved =
      Math.abs(before.width - after.width) > PIXELS || Math.abs(before.height - after.height) > PIXELS;
    if (isMoved)
      return [`${name} has ${after.width} × ${after.height} pixels, not ${before.width} × ${before.height}`];
    const share = shareOf(golden.image, before, shot.image, after);
    return share > SHARE ? [`${name}: ${(100 * share).toFixed(2)} % of the picture differ`] : [];
  });
}

/** Returns the share of different squares of two boxes. */
function shareOf(first: PNG, a: Box, second: PNG, b: Box): number {
  const width = Math.floor(Math.min(a.width, b.width) / SQUARE);
  const height = Math.floor(Math.min(a.height, b.height, first.height - a.y, second.height - b.y) / SQUARE);
  const [before, after] = [squares(first, a, width, height), squares(second, b, width, height)];
  const options = { threshold: THRESHOLD, includeAA: true };
  return pixelmatch(before, after, undefined, width, height, options) / (width * height);
}

/** Returns the mean colors of the squares of a box, as the pixels of a smaller image. */
function squares({ data, width: line }: PNG, box: Box, width: number, height: number): Uint8Array {
  const means = new Uint8Array(width * height * 4);
  for (let at = 0; at < means.length; at += 1) {
    const [channel, square] = [at % 4, Math.floor(at / 4)];
    const x = box.x + (square % width) * SQUARE;
    const y = box.y + Math.floor(square / width) * SQUARE;
    let sum = 0;
    for (let pixel = 0; pixel < SQUARE * SQUARE; pixel += 1) {
      const index = (y + Math.floor(pixel / SQUARE)) * line + x + (pixel % SQUARE);
      sum += data[index * 4 + channel] ?? 0;
    }
    means[at] = sum / (SQUARE * SQUARE);
  }
  return means;
}

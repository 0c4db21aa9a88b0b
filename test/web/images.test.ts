import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { type Browser, chromium, type Page } from "playwright-core";
import { download, report } from "../support/helpdesk.ts";
import { iccProfile, iccp, P3_TAGS, PRIVATE_TAGS } from "../support/icc.ts";
import {
  APP,
  chunk,
  exif,
  extension,
  gifWith,
  joined,
  PNG_SIGNATURE,
  riffChunk,
  segment,
  uint32,
  webpOf,
} from "../support/images.ts";
import { startService } from "../support/service.ts";
import { CHROMIUM, TIMEOUT_MS, withoutBrowser } from "./support/browser.ts";

/* Uploaded images look in a browser as they did: each is decoded before its upload and after its download. */

const [WIDTH, HEIGHT] = [4, 2];
const MAX_IMAGES = 5;
type Look = { width: number; height: number; pixels: string };
type Image = [name: string, bytes: Uint8Array, type: string];

describe.skipIf(withoutBrowser)("an uploaded image looks in a browser as it did", () => {
  let browser: Browser;
  let page: Page;
  let t: Awaited<ReturnType<typeof startService>>;
  beforeAll(async () => {
    t = await startService({}, { keep: true });
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ["--no-sandbox"],
      timeout: TIMEOUT_MS,
    });
    page = await browser.newPage();
  }, TIMEOUT_MS);
  afterAll(async () => {
    await browser?.close();
    await t?.stop();
  });

  /** Draws an image of one colour with a red corner, in this format, without a profile. */
  const draw = async (type: string) => {
    const url = await page.evaluate<string>(`(() => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [${8 * WIDTH}, ${8 * HEIGHT}];
      const context = canvas.getContext("2d");
      context.fillStyle = "rgb(200, 100, 50)";
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.fillStyle = "rgb(255, 0, 0)";
      context.fillRect(0, 0, 8, 8);
      return canvas.toDataURL("${type}", 1);
    })()`);
    return new Uint8Array(Buffer.from(url.split(",")[1] ?? "", "base64"));
  };

  /** Returns the size and pixels that the browser shows. */
  const shown = (bytes: Uint8Array, type: string) =>
    page.evaluate<Look>(`(async () => {
      const image = new Image();
      image.src = "data:${type};base64,${Buffer.from(bytes).toString("base64")}";
      await image.decode();
      const { naturalWidth: width, naturalHeight: height } = image;
      const context = new OffscreenCanvas(width, height).getContext("2d");
      context.drawImage(image, 0, 0);
      return { width, height, pixels: context.getImageData(0, 0, width, height).data.join() };
    })()`);

  /** Uploads images; returns what the browser shows of each, which must equal what it showed before. */
  async function looks(images: Image[]) {
    const all = [];
    for (let at = 0; at < images.length; at += MAX_IMAGES) {
      const some = images.slice(at, at + MAX_IMAGES);
      const who = await t.person();
      const { messages } = await report(
        who,
        {},
        some.map(([, bytes]) => bytes),
      );
      for (const [index, [name, bytes, type]] of some.entries()) {
        const stored = await download(who, messages[0]?.attachments[index]?.id ?? "");
        const [before, after] = [await shown(bytes, type), await shown(stored.bytes, type)];
        expect([name, after]).toEqual([name, before]);
        all.push(after);
      }
    }
    return all;
  }

  const row = joined([0], ...Array.from({ length: WIDTH }, (_, x) => [200, 100 + x, 50]));
  const png = (...chunks: Uint8Array[]): Uint8Array =>
    joined(
      PNG_SIGNATURE,
      chunk("IHDR", [...uint32(WIDTH), ...uint32(HEIGHT), 8, 2, 0, 0, 0]),
      ...chunks,
      chunk("IDAT", deflateSync(joined(row, Uint8Array.from(row, (byte) => byte + 1).fill(0, 0, 1)))),
      chunk("IEND"),
    );
  /** Inserts a segment after the JFIF header, and removes the profile that Chromium writes. */
  const jpeg = (base: Uint8Array, ...segments: Uint8Array[]) => {
    const parts: Uint8Array[] = [];
    let at = 2;
    for (; base[at + 1] !== 0xda; ) {
      const end = at + 2 + (base[at + 2] ?? 0) * 256 + (base[at + 3] ?? 0);
      if (base[at + 1] !== 0xe2) parts.push(base.subarray(at, end));
      if (base[at + 1] === 0xe0) parts.push(...segments);
      at = end;
    }
    return joined(base.subarray(0, 2), ...parts, base.subarray(at));
  };
  const bitstream = (base: Uint8Array) => {
    const view = new DataView(base.buffer, base.byteOffset);
    for (let at = 12; ; at += 8 + view.getUint32(at + 4, true)) {
      const name = Buffer.from(base.subarray(at, at + 4)).toString();
      const end = at + 8 + view.getUint32(at + 4, true);
      if (name === "VP8L" || name === "VP8 ") return base.subarray(at, end + (end % 2));
    }
  };
  const webp = (flags: number, ...chunks: Uint8Array[]) =>
    webpOf(riffChunk("VP8X", [flags, 0, 0, 0, 8 * WIDTH - 1, 0, 0, 8 * HEIGHT - 1, 0, 0]), ...chunks);

  test("with each orientation, in both byte orders, as JPEG and PNG, and animated", async () => {
    const base = await draw("image/jpeg");
    const control = [
      ...uint32(0),
      ...uint32(WIDTH),
      ...uint32(HEIGHT),
      ...uint32(0),
      ...uint32(0),
      0,
      1,
      0,
      1,
      0,
      0,
    ];
    const images = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((value): Image[] => {
      const [big, little] = [exif("MM", [[0x112, value]]), exif("II", [[0x112, value]])];
      const animated = [chunk("acTL", [...uint32(1), ...uint32(0)]), chunk("fcTL", control)];
      return [
        [`JPEG ${value}`, jpeg(base, segment(APP(1), big)), "image/jpeg"],
        [`JPEG little-endian ${value}`, jpeg(base, segment(APP(1), little)), "image/jpeg"],
        [`PNG ${value}`, png(chunk("eXIf", big.subarray(6))), "image/png"],
        [`PNG little-endian ${value}`, png(chunk("eXIf", little.subarray(6))), "image/png"],
        [`APNG ${value}`, png(chunk("eXIf", big.subarray(6)), ...animated), "image/png"],
      ];
    });
    const all = await looks(images);
    expect(all.map(({ width, height }) => width > height)).toEqual(
      images.map(([name]) => Number(name.at(-1)) < 5),
    );
  });

  test("with an orientation that no browser applies, or only the first or the valid one of several", async () => {
    const base = await draw("image/jpeg");
    const lossless = bitstream(await draw("image/webp"));
    const block = (...values: number[]) =>
      exif(
        "MM",
        values.map((value): [number, number] => [0x112, value]),
      );
    const turned = (...values: number[]) => chunk("eXIf", block(...values).subarray(6));
    const app1 = (data: Uint8Array | string) => segment(APP(1), data);
    await looks([
      ["JPEG, two Exif", jpeg(base, app1(block(6)), app1(block(3))), "image/jpeg"],
      ["JPEG, Exif 1 first", jpeg(base, app1(block(1)), app1(block(6))), "image/jpeg"],
      ["JPEG, empty Exif first", jpeg(base, app1("Exif\0\0"), app1(block(6))), "image/jpeg"],
      ["JPEG, broken Exif first", jpeg(base, app1("Exif\0\0MM"), app1(block(6))), "image/jpeg"],
      ["JPEG, invalid entry first", jpeg(base, app1(block(9, 6, 3))), "image/jpeg"],
      ["PNG, two eXIf", png(turned(6), turned(3)), "image/png"],
      ["PNG, broken eXIf first", png(chunk("eXIf", "xx"), turned(3)), "image/png"],
      ["PNG, wrong checksum first", png(chunk("eXIf", block(6).subarray(6), 1), turned(3)), "image/png"],
      ["PNG, the name of Exif", png(chunk("eXIf", block(6))), "image/png"],
      ["PNG, eXIf at the end", joined(png().subarray(0, -12), turned(6), chunk("IEND")), "image/png"],
      ["PNG, invalid entry first", png(turned(0, 8)), "image/png"],
      ["WebP", webp(0x08, lossless, riffChunk("EXIF", block(6).subarray(6))), "image/webp"],
      ["WebP, the name of Exif", webp(0x08, lossless, riffChunk("EXIF", block(6))), "image/webp"],
    ]);
  });

  test("with a profile, with private tags or not, and with one that no browser applies", async () => {
    const [base, lossless] = [await draw("image/jpeg"), bitstream(await draw("image/webp"))];
    const p3 = iccProfile(P3_TAGS);
    const marked = iccProfile([...PRIVATE_TAGS, ...P3_TAGS], { id: 7 });
    const app2 = (part: number, of: number, data: Uint8Array) =>
      segment(APP(2), "ICC_PROFILE\0", [part, of], data);
    const named = (name: string, data: Uint8Array) => [
      [`${name} PNG`, png(iccp(data)), "image/png"] satisfies Image,
      [`${name} JPEG`, jpeg(base, app2(1, 1, data)), "image/jpeg"] satisfies Image,
      [`${name} WebP`, webp(0x20, riffChunk("ICCP", data), lossless), "image/webp"] satisfies Image,
    ];
    const plain = await looks([
      ["PNG", png(), "image/png"],
      ["JPEG", jpeg(base), "image/jpeg"],
      ["WebP", webp(0, lossless), "image/webp"],
    ]);
    for (const profile of [p3, marked]) {
      const effective = await looks(named("P3", profile));
      for (const [index, look] of effective.entries()) expect(look).not.toEqual(plain[index] as never);
    }
    expect(await looks(named("no profile", joined("no profile")))).toEqual(plain);
    expect(await looks(named("cut", marked.subarray(0, -4)))).toEqual(plain);
    const [first, second] = [app2(1, 2, p3.subarray(0, 200)), app2(2, 2, p3.subarray(200))];
    const halves = [app2(2, 2, marked.subarray(200)), app2(1, 2, marked.subarray(0, 200))];
    await looks([
      ["JPEG, parts in another order", jpeg(base, ...halves), "image/jpeg"],
      ["JPEG, repeated part", jpeg(base, app2(1, 1, marked), app2(1, 1, p3)), "image/jpeg"],
      ["JPEG, broken part first", jpeg(base, app2(1, 1, joined("no")), app2(1, 1, p3)), "image/jpeg"],
      ["JPEG, missing part", jpeg(base, app2(1, 2, p3)), "image/jpeg"],
      ["JPEG, missing part, one repeated", jpeg(base, first, first, second), "image/jpeg"],
      ["JPEG, more parts after the last", jpeg(base, first, second, app2(1, 1, p3)), "image/jpeg"],
      ["JPEG, a part that does not exist, last", jpeg(base, first, second, app2(3, 2, p3)), "image/jpeg"],
      ["JPEG, empty part first", jpeg(base, app2(1, 1, joined()), app2(1, 1, p3)), "image/jpeg"],
      ["WebP, profile without its flag", webp(0, riffChunk("ICCP", marked), lossless), "image/webp"],
      ["WebP, profile at the end", webp(0x20, lossless, riffChunk("ICCP", marked)), "image/webp"],
      ["PNG, broken profile first", png(iccp(joined("no")), iccp(p3)), "image/png"],
      ["PNG, longest name", png(iccp(p3, "n".repeat(79))), "image/png"],
      ["PNG, name too long by one", png(iccp(p3, "n".repeat(80))), "image/png"],
      ["PNG, name too long", png(iccp(p3, "n".repeat(81))), "image/png"],
      [
        "PNG, repeated tags",
        png(iccp(iccProfile([...PRIVATE_TAGS, ...P3_TAGS, ...P3_TAGS.toReversed()]))),
        "image/png",
      ],
      ["PNG, bytes after the profile", png(iccp(p3, "x", "more")), "image/png"],
      ["PNG, sRGB and profile", png(chunk("sRGB", [0]), iccp(marked)), "image/png"],
      ["PNG, gamma and no profile", png(chunk("gAMA", uint32(100_000)), iccp(joined("no"))), "image/png"],
      ["PNG, cICP and profile", png(chunk("cICP", [12, 13, 0, 1]), iccp(marked)), "image/png"],
    ]);
  });

  test("as JPEG with bytes between segments", async () => {
    const base = await draw("image/jpeg");
    await looks([
      ["JPEG, zeros", jpeg(base, joined([0, 0, 0])), "image/jpeg"],
      [
        "JPEG, text and markers without data",
        jpeg(base, joined("text", [0xff, 0, 0xff, 0xd0])),
        "image/jpeg",
      ],
    ]);
  });

  test("as GIF, with and without its trailer, comments and profile", async () => {
    const parts = [
      extension(0xfe, "comment"),
      extension(0xff, "ICCRGBG1012", iccProfile(PRIVATE_TAGS.slice(0, 1))),
    ];
    const gif = gifWith({ extensions: parts, screen: [2, 2] });
    const [whole, open] = await looks([
      ["GIF", gif, "image/gif"],
      ["GIF without trailer", gif.subarray(0, -1), "image/gif"],
    ]);
    expect(open).toEqual(whole as never);
  });
});

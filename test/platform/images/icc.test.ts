import { describe, expect, test } from "bun:test";
import { cleanImage } from "#src/platform/images/clean";
import { cleanProfile } from "#src/platform/images/icc";
import { cleaned, hex } from "../../support/cleaning.ts";
import { type IccTag, iccProfile, iccp, iccText, P3_TAGS, PRIVATE_TAGS, PROFILE } from "../../support/icc.ts";
import {
  APP,
  animation,
  extension,
  gifWith,
  joined,
  jpegWith,
  LOSSLESS,
  pngWith,
  riffChunk,
  segment,
  uint32,
  vp8x,
  WEBP_FLAGS,
  webpFrame,
  webpOf,
} from "../../support/images.ts";

const SECRET = "SERIAL-4711";
const mixed: IccTag[] = [...P3_TAGS.slice(0, 3), ...PRIVATE_TAGS, ...P3_TAGS.slice(3)];
const withPrivate = iccProfile(mixed, { id: 9 });

const blocksOf = (profile: Uint8Array) =>
  Array.from({ length: Math.ceil(profile.length / 255) }, (_, at) =>
    profile.subarray(at * 255, (at + 1) * 255),
  );
const lossless = riffChunk("VP8L", LOSSLESS);
const containers: [string, (profile: Uint8Array) => Uint8Array][] = [
  ["JPEG", (icc) => jpegWith({ header: [segment(APP(2), "ICC_PROFILE\0", [1, 1], icc)] })],
  ["PNG", (icc) => pngWith({ afterHeader: [iccp(icc, "ICC profile")] })],
  ["WebP", (icc) => webpOf(vp8x(WEBP_FLAGS.profile), riffChunk("ICCP", icc), lossless)],
  [
    "animated WebP",
    (icc) =>
      webpOf(
        vp8x(WEBP_FLAGS.profile | WEBP_FLAGS.animation),
        riffChunk("ICCP", icc),
        animation,
        webpFrame(lossless),
      ),
  ],
  ["GIF", (icc) => gifWith({ extensions: [extension(0xff, "ICCRGBG1012", ...blocksOf(icc))] })],
];

for (const [format, image] of containers) {
  test(`the ICC profile of a ${format} loses tags that no edition of ICC.1 defines, with their bytes`, () => {
    expect(cleaned(image(withPrivate))).toBe(hex(image(PROFILE)));
    expect(Buffer.from(cleanImage(image(withPrivate)).bytes).includes(SECRET)).toBe(false);
  });

  test(`an ICC profile of a ${format} without such tags stays byte for byte`, () => {
    const kept = image(iccProfile([...P3_TAGS, ["dmdd", iccText("Studio Display")]], { id: 7 }));
    expect(cleanImage(kept).bytes).toBe(kept);
  });
}

/** Returns a profile with another value in its table of tags. */
function changed(profile: Uint8Array, at: number, value: number): Uint8Array {
  const copy = Uint8Array.from(profile);
  copy.set(uint32(value), at);
  return copy;
}
/** The positions of the offset and size of a tag. */
const entry = (index: number) => ({ offset: 132 + index * 12 + 4, size: 132 + index * 12 + 8 });

describe("a cleaned ICC profile", () => {
  test("keeps all tags of all editions of ICC.1", () => {
    const names =
      "A2B0 A2B1 A2B2 B2A0 B2A1 B2A2 B2D0 B2D1 B2D2 B2D3 D2B0 D2B1 D2B2 D2B3 bXYZ bTRC bkpt bfd_ calt chad chrm " +
      "cicp ciis clot clro clrt cprt crdi desc devs dmdd dmnd gXYZ gTRC gamt kTRC lumi meas meta ncl2 ncol pre0 pre1 " +
      "pre2 ps2i ps2s psd0 psd1 psd2 psd3 pseq psid rTRC rXYZ resp rig0 rig2 scrd scrn targ tech view vued wtpt";
    const tags = names.split(" ").map((name): IccTag => [name.replace("_", " "), iccText(name)]);
    const profile = iccProfile(tags);
    expect(cleanProfile(profile)).toBe(profile);
    expect(cleanProfile(iccProfile([...tags, ...PRIVATE_TAGS]))).toEqual(profile);
  });

  test("has no private tag, whatever its name", () => {
    for (const name of ["mmod", "ndin", "vcgt", "vcgp", "dscm", "aarg", "MSTN", "DESC", "desC", "\0\0\0\0"])
      expect(cleanProfile(iccProfile([...P3_TAGS, [name, iccText("x")]]))).toEqual(PROFILE);
  });

  test("has its own size, tags at multiples of four bytes, no id, and shared bytes once", () => {
    const shared = joined("text", uint32(0), "a");
    const tags: IccTag[] = [
      ["mmod", joined("text", uint32(0), "odd")],
      ["cprt", shared],
      ["vcgt", joined("text")],
      ["dmnd", shared],
      ["desc", iccText("x")],
    ];
    const kept = tags.filter(([name]) => name !== "mmod" && name !== "vcgt");
    expect(cleanProfile(iccProfile(tags, { id: 5, version: 2 }))).toEqual(iccProfile(kept, { version: 2 }));
  });

  test("has only the first of repeated tags, which decoders use", () => {
    const repeated: IccTag[] = [["mmod", iccText(SECRET)], ...P3_TAGS, ["desc", iccText("other")]];
    expect(cleanProfile(iccProfile(repeated))).toEqual(PROFILE);
  });

  test("keeps the bytes of tags that overlap, also those that a private tag shares", () => {
    const base = iccProfile([
      ["cprt", joined("text", uint32(0), "abcdefgh")],
      ["dmnd", joined("text", uint32(0), "ijklmnop")],
      ["mmod", joined("text", uint32(0), SECRET, "!")],
    ]);
    const { offset, size } = entry(1);
    const first = new DataView(base.buffer).getUint32(entry(0).offset);
    // The second tag begins within the first and ends after it.
    const profile = changed(changed(base, offset, first + 8), size, 12);
    const clean = cleanProfile(profile) ?? joined();
    const view = new DataView(clean.buffer);
    const [one, two] = [view.getUint32(entry(0).offset), view.getUint32(offset)];
    expect([view.getUint32(0), view.getUint32(128), two - one]).toEqual([clean.length, 2, 8]);
    expect(hex(clean.subarray(one, one + 20))).toBe(hex(profile.subarray(first, first + 20)));
    expect(Buffer.from(clean).includes(SECRET)).toBe(false);

    const sharing = changed(changed(base, entry(2).offset, first), entry(2).size, 16);
    expect(Buffer.from(cleanProfile(sharing) ?? []).includes("abcdefgh")).toBe(true);
  });
});

describe("what is named an ICC profile goes with", () => {
  const { offset, size } = entry(3);
  const none: [string, Uint8Array][] = [
    ["no data", joined()],
    ["only a header", PROFILE.subarray(0, 128)],
    ["another signature", changed(PROFILE, 36, 0)],
    ["a size beyond its end", changed(PROFILE, 0, PROFILE.length + 4)],
    ["a size before its end", changed(PROFILE, 0, PROFILE.length - 4)],
    ["2^32 - 1 tags", changed(PROFILE, 128, 0xffffffff)],
    ["more tags than fit", changed(PROFILE, 128, Math.ceil((PROFILE.length - 132) / 12))],
    ["a tag that begins after its end", changed(withPrivate, offset, 0xffffffff)],
    ["a tag that ends after its end", changed(withPrivate, size, 0xffffffff)],
    ["a tag shorter than its type", changed(withPrivate, size, 3)],
    ["a tag within its table, and private ones", changed(withPrivate, entry(0).offset, 132)],
  ];
  for (const [name, data] of none)
    test(name, () => {
      expect(cleanProfile(data)).toBeNull();
      for (const [, image] of containers) expect(() => cleanImage(image(data))).not.toThrow();
    });
});

test("a profile of 300,000 tags that all overlap is cleaned in linear time and does not grow", () => {
  const count = 300_000;
  const data = new Uint8Array(132 + count * 12 + 100_000);
  data.set(PROFILE.subarray(0, 128));
  data.set(uint32(data.length), 0);
  data.set(uint32(count), 128);
  for (let index = 0; index < count; index += 1)
    data.set(
      joined(index % 2 ? "desc" : "mmod", uint32(132 + count * 12 + (index % 1000)), uint32(90_000)),
      132 + index * 12,
    );
  const clean = cleanProfile(data);
  expect(clean?.length).toBeLessThan(data.length);
  expect(cleanProfile(clean ?? joined())).toBe(clean);
});

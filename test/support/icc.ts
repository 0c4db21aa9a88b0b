import { deflateSync } from "node:zlib";
import { chunk, joined, type Part, uint16, uint32 } from "./images.ts";

/** A tag of an ICC profile; tags with the same `data` share its bytes. */
export type IccTag = [signature: string, data: Uint8Array];

const HEADER_LENGTH = 128;

/** Returns an ICC profile of version 4 for RGB displays, with these tags. */
export function iccProfile(tags: IccTag[], { version = 4, id = 0 } = {}): Uint8Array {
  const places = new Map<Uint8Array, number>();
  const parts: Uint8Array[] = [];
  let length = HEADER_LENGTH + 4 + tags.length * 12;
  for (const [, data] of tags) {
    if (places.has(data)) continue;
    places.set(data, length);
    parts.push(padded(data));
    length += padded(data).length;
  }
  const table = tags.flatMap(([signature, data]) => [
    signature,
    uint32(places.get(data) ?? 0),
    uint32(data.length),
  ]);
  const header = joined(
    ...[uint32(length), "test", [version, 0, 0, 0], "mntrRGB XYZ ", new Uint8Array(12), "acsp"],
    ...[new Uint8Array(28), xyz(0.9642, 1, 0.8249).subarray(8), new Uint8Array(4)],
    ...[new Uint8Array(16).fill(id), new Uint8Array(28)],
  );
  return joined(header, uint32(tags.length), ...table, ...parts);
}

const padded = (data: Uint8Array) => joined(data, new Uint8Array(-data.length & 3));

const fixed = (value: number) => uint32(Math.round(value * 0x10000) >>> 0);
const xyz = (...values: number[]) => joined("XYZ ", uint32(0), ...values.map(fixed));

/** Returns a text of one language, as version 4 stores it. */
export const iccText = (text: string) => {
  const characters = joined(...[...text].map((character) => uint16(character.charCodeAt(0))));
  return joined(
    "mluc",
    uint32(0),
    uint32(1),
    uint32(12),
    "enUS",
    uint32(characters.length),
    uint32(28),
    characters,
  );
};

const GAMMA = joined("curv", uint32(0), uint32(1), uint16(Math.round(2.2 * 256)));

/** The tags of Display P3, whose three curves share their data. */
export const P3_TAGS: IccTag[] = [
  ["desc", iccText("Display P3")],
  ["cprt", iccText("CC0")],
  ["wtpt", xyz(0.9642, 1, 0.8249)],
  ["rXYZ", xyz(0.51512, 0.2412, -0.00105)],
  ["gXYZ", xyz(0.29198, 0.69225, 0.04189)],
  ["bXYZ", xyz(0.1571, 0.06657, 0.78407)],
  ["rTRC", GAMMA],
  ["gTRC", GAMMA],
  ["bTRC", GAMMA],
];

/** Tags of Apple, which no edition of ICC.1 defines: make, model and serial number of a display, and others. */
export const PRIVATE_TAGS: IccTag[] = [
  ["mmod", joined("mmod", uint32(0), "SERIAL-4711")],
  ["ndin", joined("ndin", uint32(0), "measured at home")],
  ["vcgt", joined("vcgt", uint32(0), uint32(1), new Uint8Array(36))],
];

/** A whole profile that has nothing to remove: Display P3. */
export const PROFILE = iccProfile(P3_TAGS);

/** Returns an iCCP chunk of a PNG. */
export const iccp = (profile: Uint8Array, name = "name", trailing: Part = []) =>
  chunk("iCCP", joined(name, [0, 0], deflateSync(profile), trailing));

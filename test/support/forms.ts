import type { Options } from "./caller.ts";
import { chunk, joined, pngWith } from "./images.ts";

export type Bytes = Uint8Array<ArrayBuffer>;
/** A part of a multipart form; one with a file name is a file. Names and types are put into its headers unescaped. */
export type Part = { name?: string; value?: string | Uint8Array; fileName?: string; type?: string };

export const MB = 1024 * 1024;
const BOUNDARY = "----boundary-of-a-test";
const utf8 = (text: string) => Buffer.from(text, "utf8");

/** Encodes a multipart form; `end` follows the last part. */
export const formBytes = (parts: Part[], end = `--${BOUNDARY}--\r\n`): Bytes =>
  joined(
    ...parts.flatMap(({ name, value = "", fileName, type }) => [
      `--${BOUNDARY}\r\nContent-Disposition: form-data`,
      utf8(`${name === undefined ? "" : `; name="${name}"`}`),
      utf8(fileName === undefined ? "" : `; filename="${fileName}"`),
      type === undefined ? "\r\n\r\n" : `\r\nContent-Type: ${type}\r\n\r\n`,
      typeof value === "string" ? utf8(value) : value,
      "\r\n",
    ]),
    end,
  ) as Bytes;

export const FORM_TYPE = { "content-type": `multipart/form-data; boundary=${BOUNDARY}` };

/** Returns the request options for sending a multipart form. */
export const formOf = (parts: Part[], end?: string): Options => ({
  raw: formBytes(parts, end),
  headers: FORM_TYPE,
});

/** Returns text fields as parts of a form. */
export const fields = (values: Record<string, string>): Part[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

/** Returns an image as a part of a form, declared as PNG by default. */
export const image = (value: Uint8Array, fileName = "screen.png", type = "image/png"): Part => ({
  name: "images",
  value,
  fileName,
  type,
});

/** Returns a PNG of exactly this many bytes, without metadata. */
export function pngOfSize(bytes: number): Bytes {
  const overhead = pngWith({ afterPixels: [chunk("fdAT")] }).length;
  return pngWith({ afterPixels: [chunk("fdAT", new Uint8Array(bytes - overhead))] }) as Bytes;
}

import {
  MaxFileSizeExceededError,
  MultipartParseError,
  MultipartParser,
  type MultipartPart,
} from "@remix-run/multipart-parser";
import type { z } from "zod";
import {
  ApiError,
  imageTooLarge,
  incompleteBody,
  payloadTooLarge,
  serviceUnavailable,
  tooManyImages,
  type Violation,
  validationFailed,
} from "./errors.ts";

/** A file of a form, as it was sent. */
export type Upload = { fileName: string; bytes: Uint8Array<ArrayBuffer> };
/**
 * What a form holds: its fields as the same JSON body would have them, what is wrong with them beside that, and its
 * images. They count as held in memory until they are let go.
 */
export type Form = {
  fields: Record<string, unknown>;
  violations: Violation[];
  images: Upload[];
  letGo(): void;
};

const MB = 1024 * 1024;
const MOST_BYTES = 26 * MB;
const MOST_IMAGES = 5;
const MOST_IMAGE_BYTES = 5 * MB;
/** As much as a JSON body may have. */
const MOST_TEXT_BYTES = 100 * 1024;
const MOST_PARTS = 50;
/** What all forms that are at work may hold together; who comes on top of that is told to come again. */
const MOST_BYTES_AT_ONCE = 320 * MB;
/** Longer than any client waits (specification 8.2), so that a trickle does not hold on for ever. */
const MOST_MILLISECONDS = 300_000;

const FORM_TYPE = /^\s*multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

let bytesAtOnce = 0;

/** Whether a request brings a form. */
export const isForm = ({ headers }: Request): boolean =>
  /^\s*multipart\/form-data\b/i.test(headers.get("content-type") ?? "");

/** Refuses a form by what its headers say, before anything else is looked at. @throws payloadTooLarge */
export function refuseLargeForm({ headers }: Request): void {
  if (Number(headers.get("content-length") ?? 0) > MOST_BYTES) throw payloadTooLarge();
}

/**
 * Reads a form as it arrives (contract 8), and refuses it as soon as it is too large: 26 MB in all, five images of 5 MB,
 * 100 KB of text. Text that the schema has as a boolean is one.
 * @throws payloadTooLarge, imageTooLarge, tooManyImages, validationFailed, incompleteBody, serviceUnavailable
 */
export async function readForm(request: Request, schema: z.ZodObject): Promise<Form> {
  const [, quoted, plain] = FORM_TYPE.exec(request.headers.get("content-type") ?? "") ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || request.body === null) throw malformedForm();
  const parser = new MultipartParser(boundary, { maxFileSize: MOST_IMAGE_BYTES, maxParts: MOST_PARTS });
  const form = new FormInTheMaking(schema);
  let received = 0;
  try {
    for await (const chunk of timed(request.body)) {
      received += chunk.length;
      bytesAtOnce += chunk.length;
      if (received > MOST_BYTES) throw payloadTooLarge();
      if (bytesAtOnce > MOST_BYTES_AT_ONCE) throw serviceUnavailable(new Error("Too many uploads at once"));
      // What follows the last boundary means nothing.
      if (!isComplete(parser)) for (const part of parser.write(chunk)) form.add(part);
    }
    parser.finish();
    const letGo = () => {
      bytesAtOnce -= received;
    };
    return { ...form.content(), letGo };
  } catch (error) {
    bytesAtOnce -= received;
    if (error instanceof ApiError) throw error;
    if (error instanceof MaxFileSizeExceededError) throw imageTooLarge();
    if (error instanceof MultipartParseError || error instanceof TypeError) throw malformedForm();
    throw incompleteBody();
  }
}

/** The parser says so only by not objecting to the end. */
function isComplete(parser: MultipartParser): boolean {
  try {
    parser.finish();
    return true;
  } catch {
    return false;
  }
}

async function* timed(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const until = performance.now() + MOST_MILLISECONDS;
  for await (const chunk of body) {
    if (performance.now() > until) throw incompleteBody();
    yield chunk;
  }
}

type Part = Pick<MultipartPart, "name" | "filename" | "headers" | "bytes">;

const SENT_FILE_NAME = /;\s*filename="((?:[^"\\]|\\.)*)"/i;

/** As it was sent: browsers leave backslashes as they are, which the parser takes for escapes and drops. */
function fileNameOf({ filename, headers }: Part): string | undefined {
  if (filename === undefined) return undefined;
  const sent = SENT_FILE_NAME.exec(headers["content-disposition"] ?? "")?.[1];
  return sent?.replaceAll('\\"', '"') ?? filename;
}

class FormInTheMaking {
  private readonly fields: Record<string, unknown> = Object.create(null);
  private readonly images: Upload[] = [];
  private readonly found: Violation[] = [];
  private textBytes = 0;

  constructor(private readonly schema: z.ZodObject) {}

  add(part: Part): void {
    const { name } = part;
    const filename = fileNameOf(part);
    if (name === undefined) throw malformedForm();
    if (name === "images") this.addImage(filename ?? "", part.bytes as Uint8Array<ArrayBuffer>);
    else if (filename !== undefined)
      this.found.push({ path: name, message: `property ${name} should not exist` });
    else this.addText(name, part.bytes);
  }

  private addImage(fileName: string, bytes: Uint8Array<ArrayBuffer>): void {
    // What browsers send for a file input that nothing was chosen in.
    if (fileName === "" && bytes.length === 0) return;
    if (this.images.length === MOST_IMAGES) throw tooManyImages();
    this.images.push({ fileName, bytes });
  }

  private addText(name: string, bytes: Uint8Array): void {
    this.textBytes += bytes.length;
    if (this.textBytes > MOST_TEXT_BYTES) throw payloadTooLarge();
    if (name in this.fields) this.found.push({ path: name, message: `${name} must not be repeated` });
    const text = decode(bytes);
    if (text === null) this.found.push({ path: name, message: `${name} must be valid UTF-8` });
    else this.fields[name] = this.isBoolean(name) ? asBoolean(text) : text;
  }

  private isBoolean(name: string): boolean {
    const { shape } = this.schema;
    // Not what every object has by itself.
    return Object.hasOwn(shape, name) && isBoolean(shape[name]);
  }

  content(): Omit<Form, "letGo"> {
    return { fields: { ...this.fields }, violations: this.found, images: this.images };
  }
}

function decode(bytes: Uint8Array): string | null {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}

const asBoolean = (text: string) => (text === "true" ? true : text === "false" ? false : text);

function isBoolean(field: z.core.$ZodType | undefined): boolean {
  if (field === undefined) return false;
  const { def } = field._zod;
  if (def.type === "boolean") return true;
  return "innerType" in def && isBoolean(def.innerType as z.core.$ZodType);
}

const malformedForm = () =>
  validationFailed([{ path: "", message: "body must be a well-formed multipart/form-data form" }]);

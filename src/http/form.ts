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
  tooManyImages,
  type Violation,
  validationFailed,
} from "./errors.ts";
import { FormIntake, MOST_BYTES, othersTurn } from "./form-intake.ts";

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

const IMAGES = "images";
const MB = 1024 * 1024;
const MOST_IMAGES = 5;
const MOST_IMAGE_BYTES = 5 * MB;
/** As much as a JSON body may have. */
const MOST_TEXT_BYTES = 100 * 1024;
const MOST_PARTS = 50;

const FORM_TYPE = /^\s*multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

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
 * @throws payloadTooLarge, imageTooLarge, tooManyImages, validationFailed, incompleteBody, serviceUnavailable,
 * uploadQuotaExceeded
 */
export async function readForm(request: Request, schema: z.ZodObject, userId: string): Promise<Form> {
  const [, quoted, plain] = FORM_TYPE.exec(request.headers.get("content-type") ?? "") ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || request.body === null) throw malformedForm();
  const parser = new MultipartParser(boundary, { maxFileSize: MOST_IMAGE_BYTES, maxParts: MOST_PARTS });
  const form = new FormInTheMaking(schema);
  const intake = new FormIntake(userId);
  try {
    for await (const piece of intake.read(request.body)) {
      // What follows the last boundary means nothing.
      if (isComplete(parser)) continue;
      for (const part of parser.write(piece)) {
        form.add(part);
        if (part.name === IMAGES) await othersTurn();
      }
    }
    parser.finish();
    return { ...form.content(), letGo: () => intake.letGo() };
  } catch (error) {
    intake.letGo();
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

type Part = Pick<MultipartPart, "name" | "headers" | "bytes">;

const SENT_FILE_NAME = /;\s*filename(?:\*=|=(?:"((?:[^"\\]|\\.)*)"|([^;\s]*)))/i;

/**
 * Of a file, as it was sent: browsers leave backslashes as they are, which the parser takes for escapes and drops. The
 * encoded form, which RFC 7578 rules out and of which the parser complains on the console, is no name.
 */
function fileNameOf({ headers }: Part): string | undefined {
  const sent = SENT_FILE_NAME.exec(headers["content-disposition"] ?? "");
  if (sent === null) return undefined;
  const [, quoted, plain] = sent;
  return quoted?.replaceAll('\\"', '"') ?? plain ?? "";
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
    if (name === IMAGES) this.addImage(filename ?? "", part.bytes as Uint8Array<ArrayBuffer>);
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
    // Forms are sent with these line breaks, whatever those of the text are.
    else this.fields[name] = this.isBoolean(name) ? asBoolean(text) : text.replaceAll("\r\n", "\n");
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

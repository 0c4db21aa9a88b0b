import type { z } from "zod";
import { payloadTooLarge, validationFailed } from "../../platform/errors.ts";
import type { PartSink } from "../../platform/http/multipart.ts";
import { truncated, type Violation } from "../../platform/violations.ts";
import { innerSchema } from "../definitions/known-parts.ts";
import { imageTooLarge, MAX_IMAGE_BYTES, MAX_IMAGES, tooManyImages } from "./image-limits.ts";

/** A file in a form, as received. */
export type Upload = { fileName: string; bytes: Uint8Array<ArrayBuffer> };
/**
 * The content of a form: its fields as the equivalent JSON body, the violations found while parsing, and its
 * images. The images count as memory in use until they are released.
 */
export type Form = {
  fields: Record<string, unknown>;
  violations: Violation[];
  images: Upload[];
  release(): void;
};

const IMAGES = "images";
/** The maximum size of the text fields of a form; the same as for a JSON body. */
const MAX_TEXT_BYTES = 100 * 1024;
const MAX_PARTS = 50;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

const NO_SINK: PartSink = { add() {}, end() {} };

/**
 * Matches a quoted name: without quotes in it, as browsers send it, or with escaped quotes. Backslashes are
 * literal.
 */
const PARAMETER = /;\s*([\w-]+\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g;

/**
 * Parses the headers of a part. Browsers do not escape backslashes, so they stay in a file name. The extended notation
 * (`filename*`), which RFC 7578 forbids, is ignored.
 */
function dispositionOf(head: Uint8Array): { name: string | undefined; fileName: string | undefined } {
  const line = UTF8.decode(head)
    .split("\r\n")
    .find((line) => /^content-disposition\s*:/i.test(line));
  const sent = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of (line ?? "").matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!sent.has(key)) sent.set(key, quoted?.replaceAll('\\"', '"') ?? plain);
  }
  const fileName = sent.has("filename*") ? "" : undefined;
  return { name: sent.get("name"), fileName: sent.get("filename") ?? fileName };
}

/** Builds a form from its parts, and enforces limits while they arrive. */
export class FormParts {
  private readonly fields: Record<string, unknown> = Object.create(null);
  private readonly images: Upload[] = [];
  private readonly found: Violation[] = [];
  private textBytes = 0;
  private count = 0;

  constructor(private readonly schema: z.ZodObject) {}

  /**
   * Begins a part of the form.
   * @throws validationFailed; TypeError for bad UTF-8. The returned sink throws payloadTooLarge, imageTooLarge and
   * tooManyImages.
   */
  open(head: Uint8Array): PartSink {
    const { name, fileName } = dispositionOf(head);
    this.count += 1;
    if (name === undefined || this.count > MAX_PARTS) throw malformedForm();
    if (name === IMAGES) return this.imageSink(fileName ?? "");
    if (fileName === undefined) return this.textSink(name);
    this.complain(name, (path) => `property ${path} should not exist`);
    return NO_SINK;
  }

  private imageSink(fileName: string): PartSink {
    return collected(
      (size) => {
        if (size > MAX_IMAGE_BYTES) throw imageTooLarge();
      },
      (bytes) => this.addImage(fileName, bytes),
    );
  }

  private textSink(name: string): PartSink {
    return collected(
      (size) => {
        if (this.textBytes + size > MAX_TEXT_BYTES) throw payloadTooLarge();
      },
      (bytes) => this.addText(name, bytes),
    );
  }

  private complain(name: string, sentence: (path: string) => string): void {
    const path = truncated(name);
    this.found.push({ path, message: sentence(path) });
  }

  private addImage(fileName: string, bytes: Uint8Array<ArrayBuffer>): void {
    // Browsers send an empty part for a file input without a file.
    if (fileName === "" && bytes.length === 0) return;
    if (this.images.length === MAX_IMAGES) throw tooManyImages();
    this.images.push({ fileName, bytes });
  }

  private addText(name: string, bytes: Uint8Array): void {
    this.textBytes += bytes.length;
    // Fields that the schema does not contain are rejected by name; their value is not needed.
    const text = Object.hasOwn(this.schema.shape, name) ? decode(bytes) : "";
    if (name in this.fields) this.complain(name, (path) => `${path} must not be repeated`);
    if (text === null) this.complain(name, (path) => `${path} must be valid UTF-8`);
    // Browsers send line breaks in forms as CRLF, so they are converted to LF.
    else this.fields[name] = this.isBoolean(name) ? asBoolean(text) : text.replaceAll("\r\n", "\n");
  }

  private isBoolean(name: string): boolean {
    const { shape } = this.schema;
    // Only own properties are read, not those inherited from Object.prototype.
    return Object.hasOwn(shape, name) && isBoolean(shape[name] as z.ZodType);
  }

  content(): Omit<Form, "release"> {
    return { fields: { ...this.fields }, violations: this.found, images: this.images };
  }
}

/** Collects the bytes of a part; `check` is called with each chunk to enforce limits. */
function collected(check: (size: number) => void, done: (bytes: Uint8Array<ArrayBuffer>) => void): PartSink {
  const pieces: Uint8Array[] = [];
  let size = 0;
  return {
    add(bytes) {
      size += bytes.length;
      check(size);
      pieces.push(bytes);
    },
    end: () => done(joined(pieces, size)),
  };
}

function joined(pieces: Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}

function decode(bytes: Uint8Array): string | null {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}

const asBoolean = (text: string) => (text === "true" ? true : text === "false" ? false : text);

function isBoolean(field: z.ZodType): boolean {
  const inner = innerSchema(field);
  return inner === null ? field.type === "boolean" : isBoolean(inner);
}

export const malformedForm = () =>
  validationFailed([{ path: "", message: "body must be a well-formed multipart/form-data form" }]);

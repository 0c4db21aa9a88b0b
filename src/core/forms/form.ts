import { z } from "@hono/zod-openapi";
import { ApiError, incompleteBody } from "../../platform/errors.ts";
import { MalformedMultipart, MultipartReader } from "../../platform/http/multipart.ts";
import type { Release } from "../../platform/limits/permits.ts";
import { type FormMemory, MAX_FORM_BYTES, readFormChunks, yieldToEventLoop } from "./form-body-reader.ts";
import { type Form, FormParts, malformedForm } from "./form-parts.ts";

export type { Form, Upload } from "./form-parts.ts";

/** The body of a route that is a form with images, or the same fields as JSON. */
export type FormBody = {
  kind: "form";
  schema: z.ZodObject;
  /** The name of the field that must not be empty if the form has no images. */
  or: string;
  maxBytes: number;
  isSent: (request: Request) => boolean;
  read: typeof readForm;
};

/**
 * Declares a form with the fields of the schema and up to five images, or the same fields as JSON. Without images,
 * the field named `or` must not be empty.
 */
export function form<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodObject<Shape>,
  example: Record<string, unknown>,
  { or }: { or: string },
) {
  // One strict schema for form and JSON: an intersection of two strict schemas would reject everything, because each
  // rejects the other's fields.
  const withImages = z.strictObject({ ...schema.shape, images: images.optional() });
  return {
    kind: "form" as const,
    schema,
    or,
    maxBytes: MAX_FORM_BYTES,
    isSent: isForm,
    read: readForm,
    required: true,
    content: {
      "application/json": { schema, example },
      "multipart/form-data": { schema: withImages, example },
    },
  };
}
const images = z
  .array(z.custom<File>().openapi({ type: "string", format: "binary" }))
  .max(5)
  .describe("PNG, JPEG, WebP or GIF files of up to 5 MB.");

const FORM_TYPE = /^\s*multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;

/** Whether the body of a request is a form, by its content type. */
const isForm = ({ headers }: Request): boolean =>
  /^\s*multipart\/form-data\b/i.test(headers.get("content-type") ?? "");

/**
 * Reads a form while it arrives, and rejects it as soon as it exceeds a limit: 26 MB in all, five images of 5 MB, 100 KB
 * of text. Fields that are boolean in the schema are converted.
 * @param account the id of the account, whose share of the memory is limited
 * @param milliseconds time limit for receiving the body
 * @throws payloadTooLarge, imageTooLarge, tooManyImages, validationFailed, requestTimeout, incompleteBody,
 * serviceUnavailable, uploadQuotaExceeded
 */
async function readForm(
  request: Request,
  schema: z.ZodObject,
  { account, memory, milliseconds }: { account: string; memory: FormMemory; milliseconds: number },
): Promise<Form> {
  const [, quoted, plain] = FORM_TYPE.exec(request.headers.get("content-type") ?? "") ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || request.body === null) throw malformedForm();
  const parts = new FormParts(schema);
  const reader = new MultipartReader(boundary, (head) => parts.open(head));
  let release: Release = () => {};
  const reserve = (bytes: number) => {
    release();
    release = memory.take({ account, instance: "" }, bytes);
  };
  const work = new TimeSlice();
  try {
    for await (const piece of readFormChunks(request.body, milliseconds, reserve)) {
      work.begin();
      reader.write(piece);
      if (work.isLong()) await yieldToEventLoop();
    }
    if (!reader.isComplete) throw malformedForm();
    return { ...parts.content(), release };
  } catch (error) {
    release();
    if (error instanceof ApiError) throw error;
    if (error instanceof MalformedMultipart || error instanceof TypeError) throw malformedForm();
    throw incompleteBody();
  }
}

const MAX_MILLISECONDS_AT_WORK = 3;

/** Measures how long a form has been processed since it last let other requests run. */
class TimeSlice {
  private milliseconds = 0;
  private begun = 0;

  begin(): void {
    this.begun = performance.now();
  }

  isLong(): boolean {
    this.milliseconds += performance.now() - this.begun;
    if (this.milliseconds < MAX_MILLISECONDS_AT_WORK) return false;
    this.milliseconds = 0;
    return true;
  }
}

import { z } from "@hono/zod-openapi";
import { withAsciiDomain } from "../../platform/email-domain.ts";
import { hasControl, isInvisible, trimmed } from "../../platform/text.ts";
import { isObject } from "./known-parts.ts";

/**
 * Field types that several features share. Lengths are counted in characters (Unicode code points), as in JSON
 * Schema, and not in UTF-16 units as in JavaScript strings.
 */

const CONTROL_IN_LONG_TEXT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

type Length = { min: number; max: number };

function checkLength(value: string, { min, max }: Length, ctx: z.core.$RefinementCtx<string>) {
  // Counts characters only if the number of UTF-16 units does not decide already: a character is one or two units.
  const length =
    value.length > 2 * max || (value.length >= 2 * min && value.length <= max)
      ? value.length
      : [...value].length;
  if (length < min) ctx.addIssue({ code: "too_small", origin: "string", minimum: min, input: value });
  if (length > max) ctx.addIssue({ code: "too_big", origin: "string", maximum: max, input: value });
}

/**
 * Returns the schema of a name, title or subject: one line, trimmed, without control characters, and with at least
 * one visible character.
 */
export const singleLine = (length: Length) =>
  z
    .string()
    .overwrite(trimmed)
    .superRefine((value, ctx) => {
      checkLength(value, length, ctx);
      if (hasControl(value))
        ctx.addIssue({ code: "custom", message: "must not contain control characters", input: value });
      else if (length.min > 0 && isInvisible(value))
        ctx.addIssue({ code: "too_small", origin: "string", minimum: 1, input: value });
    })
    .openapi({ minLength: length.min, maxLength: length.max });

/**
 * Returns the schema of a long text, kept as written, with tabs and line breaks but no other control characters (see
 * `hasControl`).
 */
export const longText = (length: Length) =>
  z
    .string()
    .superRefine((value, ctx) => {
      checkLength(value, length, ctx);
      if (CONTROL_IN_LONG_TEXT.test(value)) {
        ctx.addIssue({ code: "custom", message: "must not contain control characters", input: value });
      }
    })
    .openapi({ minLength: length.min, maxLength: length.max });

/** The schema of a text of the product in each language, in a response. */
export const productText = z
  .object({
    en: z.string().openapi({ example: "See inspections" }).describe("In English."),
    el: z.string().openapi({ example: "Προβολή επιθεωρήσεων" }).describe("In Greek."),
  })
  .openapi("ProductText");

/** Returns the schema of a text of limited length. The text is not trimmed or normalized. */
export const rawText = (length: Length) =>
  z
    .string()
    .superRefine((value, ctx) => checkLength(value, length, ctx))
    .openapi({ minLength: length.min, maxLength: length.max });

/**
 * Rejects addresses in the domain `.invalid`: no mail reaches them, and pseudonyms of deleted accounts use that
 * domain (rules 4.13).
 */
const EMAIL =
  /^(?!\.)(?!.*\.\.)(?!.*\.invalid$)[a-z0-9_'+\-.&/=?^{|}~!#$%*`]*[a-z0-9_+\-&/=?^{|}~!#$%*`']@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i;

/**
 * The schema of an email address; no other code trims or lower-cases one. A domain in Unicode becomes its A-labels. Any
 * other character beyond ASCII is rejected: letters that lower-case to ASCII letters (KELVIN SIGN to k) would make one
 * address match another.
 */
export const email = z
  .string()
  .overwrite(trimmed)
  .overwrite(withAsciiDomain)
  .superRefine((value, ctx) => {
    if (value.length > 254) ctx.addIssue({ code: "too_big", origin: "string", maximum: 254, input: value });
    else if (!EMAIL.test(value)) ctx.addIssue({ code: "invalid_format", format: "email", input: value });
  })
  .transform((value) => value.toLowerCase())
  .openapi({ type: "string", format: "email", maxLength: 254, example: "ada@example.com" });

/** A language: `el` or `en`. */
export const language = z
  .enum(["el", "en"])
  .openapi("Language", { example: "en", description: "The language of the console and of mails." });

/** An id, converted to lower case so that equal ids compare equal. */
export const uuid = z.guid().toLowerCase().openapi({ format: "uuid" });

/** Returns the schema of a string in responses, with a description. */
export const textExample = (example: string) => z.string().openapi({ example });

/** Returns the schema of an id in a path, with the kind of record it belongs to. */
export const pathId = (of: string) => uuid.openapi({ param: { description: `The id of the ${of}.` } });

/** A time in responses: ISO 8601 in UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 }).openapi({ example: "2026-01-31T09:30:00.000Z" });

const MAX_OVERLAP_SECONDS = 604_800;

/** For how many seconds a replaced secret or key works beside the new one. */
export const overlapSeconds = z
  .number()
  .superRefine((value, ctx) => {
    if (Number.isInteger(value) && value >= 0 && value <= MAX_OVERLAP_SECONDS) return;
    const message = `must be between 0 and ${MAX_OVERLAP_SECONDS}`;
    ctx.addIssue({ code: "custom", message, input: value });
  })
  .default(86_400)
  .openapi({ type: "integer", minimum: 0, maximum: MAX_OVERLAP_SECONDS, default: 86_400 });

/** Keywords of JSON Schema 2020-12 that the library's types lack, because they describe OpenAPI 3.0. */
export const jsonSchema = (keywords: Record<string, unknown>): object => keywords;

/**
 * An option for a rule about several fields: the rule is checked even if single fields are invalid, so that one
 * response lists all violations.
 */
export const checkEvenIfFieldsFail = { when: ({ value }: { value: unknown }) => isObject(value) };

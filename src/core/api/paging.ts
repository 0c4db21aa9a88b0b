import { z } from "@hono/zod-openapi";
import { withAsciiDomain } from "../../platform/email-domain.ts";
import { rawText, uuid } from "../definitions/fields.ts";

const MAX_ROWS = 100;
const DEFAULT_ROWS = 20;
const LAST_PAGE = 1_000_000_000;

/** Returns the schema of an integer in a query string. */
export const wholeNumber = (min: number, max: number, defaultValue: number) =>
  z
    .string()
    .superRefine((value, ctx) => {
      const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (Number.isNaN(number)) ctx.addIssue({ code: "invalid_type", expected: "int", input: value });
      else if (number < min)
        ctx.addIssue({ code: "too_small", origin: "number", minimum: min, input: value });
      else if (number > max) ctx.addIssue({ code: "too_big", origin: "number", maximum: max, input: value });
    })
    .transform(Number)
    .default(defaultValue)
    .openapi({ type: "integer", minimum: min, maximum: max, default: defaultValue });

const page = wholeNumber(1, LAST_PAGE, 1).openapi({ param: { description: "Page number, from 1." } });
/** The number of rows per page; the caller adds a description. */
export const pageSize = wholeNumber(1, MAX_ROWS, DEFAULT_ROWS);

/** Converts a boolean in a query string. */
export const flag = z
  .enum(["true", "false"])
  .transform((value) => value === "true")
  .openapi({ type: "boolean" });

/** Returns the schema of an optional filter with its description; null if absent. */
export const filter = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema
    .optional()
    .transform((value) => value ?? null)
    .openapi({ param: { description } });

const searchOf = (textOf: (value: string) => string) =>
  filter(
    rawText({ min: 0, max: 200 })
      .transform((value) => textOf(value.trim()) || null)
      .openapi({ type: "string", maxLength: 200 }),
    "Literal match, ignoring case, accents and Unicode normal forms.",
  );

/** The search text, matched literally, ignoring case and accents. Empty means no search. */
export const search = searchOf((text) => text);

/** Like `search`, for lists of people: an email address with a domain in Unicode finds the stored one. */
export const peopleSearch = searchOf(withAsciiDomain);

const MAX_IDS = 50;

/**
 * Returns the schema of a filter by ids: a query parameter that may be repeated, at most 50 values. Null if absent.
 */
export const idFilter = (description: string) =>
  filter(
    z
      .array(uuid)
      .max(MAX_IDS)
      .transform((ids) => [...new Set(ids)])
      .openapi({ type: "array", items: { type: "string", format: "uuid" }, maxItems: MAX_IDS }),
    description,
  );

type Sorting<Sorts> = { sorts: Sorts; defaultOrder: "asc" | "desc" };
type SortNames = readonly [string, ...string[]];

/**
 * Returns the sort parameters of a list.
 * @param sorts the sort fields; the first is the default
 * @param defaultOrder the default order; newest first if the default sort field is a time
 */
export const sorting = <const Sorts extends SortNames>({ sorts, defaultOrder }: Sorting<Sorts>) => ({
  sort: z
    .enum(sorts)
    .default(sorts[0] as never)
    .openapi({ param: { description: "Field to sort by." } }),
  order: z
    .enum(["asc", "desc"])
    .default(defaultOrder)
    .openapi({ param: { description: "Sort direction." } }),
});

/** Returns the query parameters of a list (rules 3.1 to 3.3): paging, order, and the list's own filters. */
export function listQuery<const Sorts extends SortNames, Filters extends z.ZodRawShape>(
  sorted: Sorting<Sorts>,
  filters: Filters,
) {
  return z.strictObject({
    page,
    pageSize: pageSize.openapi({ param: { description: "Maximum number of rows per page." } }),
    ...sorting(sorted),
    ...filters,
  });
}

/**
 * Returns the query parameters of a list that is always on one page. It accepts the paging parameters, and page 2
 * is empty.
 */
export const unpagedListQuery = <Filters extends z.ZodRawShape>(filters: Filters) =>
  z.strictObject({
    page,
    pageSize: pageSize.openapi({ param: { description: "Ignored: all rows are on the first page." } }),
    ...filters,
  });

/** Returns the schema of one page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item).describe("The rows of the page."),
    total: z.int().openapi({ description: "The number of rows on all pages.", example: 1 }),
    page: z.int().openapi({ example: 1 }).describe("The number of the page, from 1."),
    pageSize: z.int().openapi({ example: DEFAULT_ROWS }).describe("The maximum number of rows of a page."),
  });

/** Returns the response of a list that is always on one page. */
export function unpagedList<Item>(page: number, items: Item[]) {
  return { data: page === 1 ? items : [], total: items.length, page, pageSize: items.length };
}

/** Returns the intersection of two filters; null means no filter. */
export function intersection(one: string[] | null, other: string[] | null): string[] | null {
  if (one === null || other === null) return one ?? other;
  return one.filter((id) => other.includes(id));
}

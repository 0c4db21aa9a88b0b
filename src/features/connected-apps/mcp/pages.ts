import { isObject } from "#kit";
import type { Answer } from "./inside.ts";
import type { Operation } from "./operations.ts";
import { MAX_BYTES, sizeOf } from "./results.ts";

type Parameters = Record<string, unknown>;

const PAGE_SIZE = 10;

const takes = ({ parameters }: Operation, name: string): boolean =>
  Object.hasOwn(parameters.properties, name);

/** Returns the parameters with the page size of lists: ten, unless another was sent. */
export const withPageSize = (operation: Operation, parameters: Parameters): Parameters =>
  takes(operation, "pageSize") && parameters.pageSize === undefined
    ? { ...parameters, pageSize: PAGE_SIZE }
    : parameters;

type Page = { data: unknown[]; page: number; pageSize: number; total: number };

/**
 * Returns a page of a list. Some lists have all rows on one page, whatever was asked for: of these the rows of the page are
 * taken, so that an agent may walk every list.
 */
export async function readPage(
  operation: Operation,
  parameters: Parameters,
  call: (parameters: Parameters) => Promise<Answer>,
): Promise<Answer> {
  const answer = await call(parameters);
  const pageSize = Number(parameters.pageSize);
  if (!takes(operation, "page") || answer.status !== 200) return answer;
  if ((answer.body as Page).pageSize === pageSize) return answer;
  const page = Number(parameters.page ?? 1);
  const whole = page === 1 ? answer : await call({ ...parameters, page: 1 });
  if (whole.status !== 200) return whole;
  const { data, ...rest } = whole.body as Page;
  const rows = data.slice((page - 1) * pageSize, page * pageSize);
  return { ...whole, body: { ...rest, data: rows, page, pageSize } };
}

/** Returns the parameters of the page after this one; null if it is the last, or if the operation has none. */
export function nextOf(operation: Operation, parameters: Parameters, answer: unknown): Parameters | null {
  if (!isObject(answer) || !Array.isArray(answer.data)) return null;
  const { data, page, pageSize, total, cursor, hasMore, earlierMessageCount } = answer;
  if (takes(operation, "page")) {
    const isLast = data.length === 0 || Number(page) * Number(pageSize) >= Number(total);
    return isLast ? null : { ...parameters, page: Number(page) + 1 };
  }
  if (takes(operation, "after")) return hasMore === true ? { ...parameters, after: cursor } : null;
  const [first] = data;
  return takes(operation, "before") && Number(earlierMessageCount) > 0 && isObject(first)
    ? { ...parameters, before: first.id }
    : null;
}

/**
 * Returns the paging of a smaller page that fits and begins with the same row: its size divides the one that was too large.
 * Null if no page does.
 */
export function smallerPage(
  operation: Operation,
  parameters: Parameters,
  answer: unknown,
): { pageSize: number; page?: number } | null {
  if (!takes(operation, "pageSize") || !isObject(answer) || !Array.isArray(answer.data)) return null;
  const { data, ...rest } = answer;
  const largest = Math.max(...data.map(sizeOf));
  const fitting = Math.floor((MAX_BYTES - sizeOf({ ...rest, data: [] }) - MARGIN) / (largest + 1));
  const size = Number(parameters.pageSize);
  const sizes = [...Array(Math.min(fitting, size - 1)).keys()].map((index) => index + 1);
  const pageSize = sizes.findLast((smaller) => size % smaller === 0);
  if (pageSize === undefined) return null;
  const page = Number(parameters.page ?? 1);
  return { pageSize, ...(page > 1 && { page: ((page - 1) * size) / pageSize + 1 }) };
}

/** The bytes of the sentence, the boundary and the other properties of a result. */
const MARGIN = 1_000;

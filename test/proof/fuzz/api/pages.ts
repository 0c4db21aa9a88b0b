import type { Answer } from "./send.ts";

export type Row = Record<string, unknown>;
export type Page = { data: Row[]; total: number; page: number; pageSize: number };

/** Lists that are always on one page, in an order of their own. */
export const ON_ONE_PAGE = new Set(["listUnits", "listRoles"]);

/** The page that an answer holds, or null. */
export const pageOf = ({ body }: Answer): Page | null => {
  const page = body as Partial<Page> | null;
  return Array.isArray(page?.data) && typeof page.total === "number" ? (page as Page) : null;
};

/** The id of a row; members go by that of their account. */
export const idOf = ({ id, userId }: Row): string => String(id ?? userId);

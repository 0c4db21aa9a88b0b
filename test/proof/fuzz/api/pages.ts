import type { ApiResponse } from "./send.ts";

export type Row = Record<string, unknown>;
export type Page = { data: Row[]; total: number; page: number; pageSize: number };

/** Lists that are not paginated and have a fixed order. */
export const UNPAGED_LISTS = new Set(["listUnits", "listRoles", "listConnections", "listDomains"]);

/** Returns the page of rows in a response, or null if it has none. */
export const pageOf = ({ body }: ApiResponse): Page | null => {
  const page = body as Partial<Page> | null;
  return Array.isArray(page?.data) && typeof page.total === "number" ? (page as Page) : null;
};

/** Returns the id of a row; members and identities are identified by their account, groups by their name. */
export const idOf = ({ id, userId, user, group }: Row): string =>
  String(id ?? userId ?? (user as Row | undefined)?.id ?? group);

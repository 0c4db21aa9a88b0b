import { byId, operations } from "./operations.ts";
import type { Finding } from "./oracles.ts";
import { idOf, pageOf, type Row, UNPAGED_LISTS } from "./pages.ts";
import type { RequestPlan } from "./requests.ts";
import { type ApiResponse, type BuiltRequest, sendWithRetries } from "./send.ts";

/*
 * Checks that send further requests after a response.
 * - An item of a list can be read.
 * - A page has as many rows as its total says.
 * - A deleted record can no longer be read.
 * - An export has as many records as its list.
 */

/** The path of one item of each list. */
const ITEM_PATHS: Record<string, string> = {
  ...{ listTodos: "/api/todos", listAllTodos: "/api/todos", listMembers: "/api/members" },
  ...{
    listOwnTickets: "/api/support/tickets",
    listOrganizationTickets: "/api/organization/helpdesk/tickets",
  },
  ...{
    listTickets: "/api/helpdesk/tickets",
    listUsers: "/api/users",
    listOrganizations: "/api/organizations",
  },
};

/** Compares the number of rows with the total. Requests the page twice, because events of sign-ins are written after their response. */
export async function checkPageSize(
  { operation }: RequestPlan,
  request: BuiltRequest,
  response: ApiResponse,
  url: string,
): Promise<Finding | null> {
  const expectedSizeOf = (response: ApiResponse) => {
    const page = pageOf(response);
    if (page === null) return null;
    const left = Math.max(0, page.total - (page.page - 1) * page.pageSize);
    if (UNPAGED_LISTS.has(operation)) return page.page === 1 ? page.total : 0;
    return Math.min(page.pageSize, left);
  };
  const isCorrect = (response: ApiResponse) =>
    expectedSizeOf(response) === (pageOf(response)?.data.length ?? null);
  if (isCorrect(response)) return null;
  const secondResponse = await sendWithRetries(url, request);
  const page = pageOf(secondResponse);
  if (page === null || isCorrect(secondResponse)) return null;
  return {
    kind: "list",
    what: `${request.line}\n    shows ${page.data.length} rows on page ${page.page} of a total of ${page.total}`,
  };
}

/** Reads the first item of a list by its id and compares the fields. */
export async function checkFirstItem(
  { operation }: RequestPlan,
  request: BuiltRequest,
  response: ApiResponse,
  url: string,
): Promise<Finding | null> {
  const path = ITEM_PATHS[operation];
  const [item] = pageOf(response)?.data ?? [];
  if (path === undefined || item === undefined) return null;
  const itemRequest: BuiltRequest = { ...request, method: "GET", path: `${path}/${idOf(item)}` };
  const { status, body } = await sendWithRetries(url, itemRequest);
  if (status === 403) return null;
  const record = body as Row;
  const field = Object.keys(item).find(
    (key) => key in record && JSON.stringify(record[key]) !== JSON.stringify(item[key]),
  );
  if (status === 200 && field === undefined) return null;
  return {
    kind: "list",
    what:
      status === 200
        ? `${request.line}\n    shows ${field} ${JSON.stringify(item[field ?? ""])}, and ${itemRequest.path} ${JSON.stringify(record[field ?? ""])}`
        : `${request.line}\n    shows ${idOf(item)}, and ${itemRequest.path} returns ${status}`,
  };
}

/** After a deletion, reads the record by its id and in the lists of its kind. */
export async function checkDeletion(
  { operation }: RequestPlan,
  request: BuiltRequest,
  url: string,
): Promise<Finding | null> {
  const { method, path } = byId.get(operation) ?? {};
  const [id] = Object.values(request.params);
  if (method !== "DELETE" || id === undefined || !path?.endsWith("}")) return null;
  const listPath = path.slice(0, path.lastIndexOf("/"));
  const reads = operations.filter(
    (one) => one.method === "GET" && [path, listPath, `${listPath}/all`].includes(one.path),
  );
  for (const read of reads) {
    const isItem = read.path === path;
    const isPaged = read.parameters.some(({ name }) => name === "pageSize");
    const readRequest: BuiltRequest = {
      ...request,
      method: "GET",
      path: isItem ? (request.path.split("?")[0] ?? "") : `${read.path}${isPaged ? "?pageSize=100" : ""}`,
      init: { headers: { ...request.init.headers } },
    };
    const response = await sendWithRetries(url, readRequest);
    const rows = pageOf(response)?.data ?? (Array.isArray(response.body) ? (response.body as Row[]) : []);
    const exists = isItem ? response.status < 300 : rows.some((row) => idOf(row) === id.toLowerCase());
    if (exists)
      return {
        kind: "deleted",
        what: `${request.line}\n    succeeded, and ${readRequest.path} still shows the record`,
      };
  }
  return null;
}

/**
 * Compares the number of records of an export with the total of its list. Requests both twice, because an export
 * can write an event (rules 16.22), and events of sign-ins are written after their response.
 */
export async function checkExport(
  request: BuiltRequest,
  response: ApiResponse,
  url: string,
): Promise<Finding | null> {
  const [path = "", query = ""] = request.path.split("?");
  if (!path.endsWith("/export") || request.method !== "GET") return null;
  const countRecords = ({ body, headers }: ApiResponse) =>
    String(body).split("\n").length - (headers.get("content-type")?.startsWith("text/csv") ? 2 : 1);
  const filters = new URLSearchParams(query);
  for (const name of ["format", "order"]) filters.delete(name);
  const readTotal = async () =>
    pageOf(await sendWithRetries(url, { ...request, path: `${path.slice(0, -"/export".length)}?${filters}` }))
      ?.total;
  if (countRecords(response) === (await readTotal())) return null;
  const before = await readTotal();
  const records = countRecords(await sendWithRetries(url, request));
  const total = await readTotal();
  if (before === undefined || total === undefined || (before <= records && records <= total)) return null;
  return {
    kind: "list",
    what: `${request.line}\n    exports ${records} events, and the total of the list is ${total}`,
  };
}

/** Compares the number of unread notifications with the total of their list. */
export async function checkUnreadCount(
  { operation }: RequestPlan,
  request: BuiltRequest,
  { body }: ApiResponse,
  url: string,
): Promise<Finding | null> {
  if (operation !== "countUnreadNotifications") return null;
  const { count } = body as { count: number };
  const page = pageOf(await sendWithRetries(url, { ...request, path: "/api/notifications?unread=true" }));
  if (page === null || page.total === count) return null;
  return {
    kind: "list",
    what: `${request.line}\n    returns ${count}, and the total of the list is ${page.total}`,
  };
}

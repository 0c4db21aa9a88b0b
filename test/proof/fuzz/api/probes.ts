import { type Check, finding, readAgain, sendAgain } from "./exchange.ts";
import { byId, operationSet, operations } from "./operations.ts";
import { idOf, pageOf, type Row, UNPAGED_LISTS } from "./pages.ts";
import type { ApiResponse } from "./send.ts";

/*
 * Checks that send further requests after a response: an item of a list can be read, a page has as many rows as its
 * total says, a deleted record can no longer be read, an export has as many records as its list.
 */

/** The path of one item of each list. */
const ITEM_PATHS: Record<string, string> = {
  ...{ listTodos: "/api/todos", listAllTodos: "/api/todos", listMembers: "/api/members" },
  ...{ listOwnTickets: "/api/support/tickets", listTickets: "/api/helpdesk/tickets" },
  ...{ listUsers: "/api/users", listOrganizations: "/api/organizations" },
  listOrganizationTickets: "/api/organization/helpdesk/tickets",
};

/** Compares the number of rows with the total. Requests the page twice, because events of sign-ins are written after their response. */
export const checkPageSize: Check = async (exchange) => {
  const isUnpaged = UNPAGED_LISTS.has(exchange.plan.operation);
  const isCorrect = (response: ApiResponse) => {
    const page = pageOf(response);
    if (page === null) return true;
    const left = Math.max(0, page.total - (page.page - 1) * page.pageSize);
    const expected = isUnpaged ? (page.page === 1 ? page.total : 0) : Math.min(page.pageSize, left);
    return page.data.length === expected;
  };
  if (isCorrect(exchange.response)) return null;
  const second = await sendAgain(exchange);
  const page = pageOf(second);
  if (page === null || isCorrect(second)) return null;
  const problem = `shows ${page.data.length} rows on page ${page.page} of a total of ${page.total}`;
  return finding("list", exchange, problem);
};

/** Reads the first item of a list by its id and compares the fields. */
export const checkFirstItem: Check = async (exchange) => {
  const path = ITEM_PATHS[exchange.plan.operation];
  const [item] = pageOf(exchange.response)?.data ?? [];
  if (path === undefined || item === undefined) return null;
  const itemPath = `${path}/${idOf(item)}`;
  const { status, body } = await sendAgain(exchange, { path: itemPath });
  if (status === 403) return null;
  if (status !== 200)
    return finding("list", exchange, `shows ${idOf(item)}, and ${itemPath} returns ${status}`);
  const record = body as Row;
  const shown = ({ [field ?? ""]: value }: Row) => JSON.stringify(value);
  const field = Object.keys(item).find(
    (key) => key in record && JSON.stringify(record[key]) !== JSON.stringify(item[key]),
  );
  if (field === undefined) return null;
  return finding("list", exchange, `shows ${field} ${shown(item)}, and ${itemPath} ${shown(record)}`);
};

/** Operations after which the lists show the record, as ended: of a setup link, and of an API key (rules 45, 35). */
const KEPT = operationSet("revokeSetupLink", "revokeApiKey");

/** After a deletion, reads the record by its id and in the lists of its kind. */
export const checkDeletion: Check = async (exchange) => {
  const { request, plan } = exchange;
  const { method, path } = byId.get(plan.operation) ?? {};
  const id = Object.values(request.params).at(-1);
  if (method !== "DELETE" || id === undefined || !path?.endsWith("}") || KEPT.has(plan.operation))
    return null;
  const [itemPath = ""] = request.path.split("?");
  const listPath = path.slice(0, path.lastIndexOf("/"));
  const paths = [path, listPath, `${listPath}/all`];
  for (const read of operations.filter((one) => one.method === "GET" && paths.includes(one.path))) {
    const isItem = read.path === path;
    const isPaged = read.parameters.some(({ name }) => name === "pageSize");
    const readPath = isItem
      ? itemPath
      : itemPath.slice(0, itemPath.lastIndexOf("/")) +
        read.path.slice(listPath.length) +
        (isPaged ? "?pageSize=100" : "");
    const response = await readAgain(exchange, readPath);
    const rows = pageOf(response)?.data ?? (Array.isArray(response.body) ? (response.body as Row[]) : []);
    const exists = isItem ? response.status < 300 : rows.some((row) => idOf(row) === id.toLowerCase());
    if (exists) return finding("deleted", exchange, `succeeded, and ${readPath} still shows the record`);
  }
  return null;
};

/**
 * Compares the number of records of an export with the total of its list. Requests both twice, because an export
 * can write an event (rules 16.22), and events of sign-ins are written after their response.
 */
export const checkExport: Check = async (exchange) => {
  const [path = "", query = ""] = exchange.request.path.split("?");
  if (!path.endsWith("/export") || exchange.request.method !== "GET") return null;
  const countRecords = ({ body, headers }: ApiResponse) =>
    String(body).split("\n").length - (headers.get("content-type")?.startsWith("text/csv") ? 2 : 1);
  const filters = new URLSearchParams(query);
  for (const name of ["format", "order"]) filters.delete(name);
  const listPath = `${path.slice(0, -"/export".length)}?${filters}`;
  const readTotal = async () => pageOf(await sendAgain(exchange, { path: listPath }))?.total;
  if (countRecords(exchange.response) === (await readTotal())) return null;
  const before = await readTotal();
  const records = countRecords(await sendAgain(exchange));
  const total = await readTotal();
  if (before === undefined || total === undefined || (before <= records && records <= total)) return null;
  return finding("list", exchange, `exports ${records} events, and the total of the list is ${total}`);
};

/** Compares the number of unread notifications with the total of their list. */
export const checkUnreadCount: Check = async (exchange) => {
  if (exchange.plan.operation !== "countUnreadNotifications") return null;
  const { count } = exchange.response.body as { count: number };
  const page = pageOf(await sendAgain(exchange, { path: "/api/notifications?unread=true" }));
  if (page === null || page.total === count) return null;
  return finding("list", exchange, `returns ${count}, and the total of the list is ${page.total}`);
};

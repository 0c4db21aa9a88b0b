import { byId, operations } from "./operations.ts";
import type { Finding } from "./oracles.ts";
import { idOf, ON_ONE_PAGE, pageOf, type Row } from "./pages.ts";
import type { Plan } from "./requests.ts";
import { type Answer, type Sent, sendPatiently } from "./send.ts";

/*
 * Questions that follow from an answer: what a list shows can be opened, a page has as many rows as its total says, what
 * was deleted is gone, and an export has as many records as its list.
 */

/** Where an item of a list is read alone. */
const ITEMS: Record<string, string> = {
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

/** Rows that are more or fewer than the total says; asked twice, as events of sign-ins are written after their answer. */
export async function wrongPage(
  { operation }: Plan,
  request: Sent,
  answer: Answer,
  url: string,
): Promise<Finding | null> {
  const expectedOf = (one: Answer) => {
    const page = pageOf(one);
    if (page === null) return null;
    const left = Math.max(0, page.total - (page.page - 1) * page.pageSize);
    if (ON_ONE_PAGE.has(operation)) return page.page === 1 ? page.total : 0;
    return Math.min(page.pageSize, left);
  };
  const isRight = (one: Answer) => expectedOf(one) === (pageOf(one)?.data.length ?? null);
  if (isRight(answer)) return null;
  const again = await sendPatiently(url, request);
  const page = pageOf(again);
  if (page === null || isRight(again)) return null;
  return {
    kind: "list",
    what: `${request.line}\n    shows ${page.data.length} rows on page ${page.page} of a total of ${page.total}`,
  };
}

/** The first row of a list that cannot be read alone, or reads otherwise there. */
export async function hiddenItem(
  { operation }: Plan,
  request: Sent,
  answer: Answer,
  url: string,
): Promise<Finding | null> {
  const path = ITEMS[operation];
  const [item] = pageOf(answer)?.data ?? [];
  if (path === undefined || item === undefined) return null;
  const asked: Sent = { ...request, method: "GET", path: `${path}/${idOf(item)}` };
  const { status, body } = await sendPatiently(url, asked);
  if (status === 403) return null;
  const alone = body as Row;
  const differs = Object.keys(item).find(
    (key) => key in alone && JSON.stringify(alone[key]) !== JSON.stringify(item[key]),
  );
  if (status === 200 && differs === undefined) return null;
  return {
    kind: "list",
    what:
      status === 200
        ? `${request.line}\n    shows ${differs} ${JSON.stringify(item[differs ?? ""])}, and ${asked.path} ${JSON.stringify(alone[differs ?? ""])}`
        : `${request.line}\n    shows ${idOf(item)}, and ${asked.path} answers ${status}`,
  };
}

/** Where a record is read whose deletion succeeded: alone, and in the lists of its kind. */
export async function undeleted({ operation }: Plan, request: Sent, url: string): Promise<Finding | null> {
  const { method, path } = byId.get(operation) ?? {};
  const [id] = Object.values(request.params);
  if (method !== "DELETE" || id === undefined || !path?.endsWith("}")) return null;
  const above = path.slice(0, path.lastIndexOf("/"));
  for (const one of operations) {
    if (one.method !== "GET" || (one.path !== path && one.path !== above && one.path !== `${above}/all`))
      continue;
    const isAlone = one.path === path;
    const isPaged = one.parameters.some(({ name }) => name === "pageSize");
    const asked: Sent = {
      ...request,
      method: "GET",
      path: isAlone ? (request.path.split("?")[0] ?? "") : `${one.path}${isPaged ? "?pageSize=100" : ""}`,
      init: { headers: { ...request.init.headers } },
    };
    const answer = await sendPatiently(url, asked);
    const rows = pageOf(answer)?.data ?? (Array.isArray(answer.body) ? (answer.body as Row[]) : []);
    const isThere = isAlone ? answer.status < 300 : rows.some((row) => idOf(row) === id.toLowerCase());
    if (isThere)
      return { kind: "deleted", what: `${request.line}\n    succeeded, and ${asked.path} still shows it` };
  }
  return null;
}

/** An export that has more or fewer records than the list with the same filters; asked twice. */
export async function wrongExport(request: Sent, answer: Answer, url: string): Promise<Finding | null> {
  const [path = "", query = ""] = request.path.split("?");
  if (!path.endsWith("/export") || request.method !== "GET") return null;
  const recordsIn = ({ body, headers }: Answer) =>
    String(body).split("\n").length - (headers.get("content-type")?.startsWith("text/csv") ? 2 : 1);
  const filters = new URLSearchParams(query);
  for (const name of ["format", "order"]) filters.delete(name);
  const totalOf = async () =>
    pageOf(await sendPatiently(url, { ...request, path: `${path.slice(0, -"/export".length)}?${filters}` }))
      ?.total;
  if (recordsIn(answer) === (await totalOf())) return null;
  // An export can be an event itself (rules 16.22), and events of sign-ins are written late.
  const before = await totalOf();
  const records = recordsIn(await sendPatiently(url, request));
  const total = await totalOf();
  if (before === undefined || total === undefined || (before <= records && records <= total)) return null;
  return {
    kind: "list",
    what: `${request.line}\n    exports ${records} events, of which the list has ${total}`,
  };
}

/** A number of unread notifications that their list does not have. */
export async function wrongCount(
  { operation }: Plan,
  request: Sent,
  { body }: Answer,
  url: string,
): Promise<Finding | null> {
  if (operation !== "countUnreadNotifications") return null;
  const { count } = body as { count: number };
  const listed = pageOf(await sendPatiently(url, { ...request, path: "/api/notifications?unread=true" }));
  if (listed === null || listed.total === count) return null;
  return { kind: "list", what: `${request.line}\n    counts ${count}, and the list has ${listed.total}` };
}

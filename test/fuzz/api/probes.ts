import { CALLERS, type CallerName } from "./callers.ts";
import type { Finding } from "./oracles.ts";
import type { Plan } from "./requests.ts";
import { type Answer, type Sent, sendPatiently } from "./send.ts";
import type { World } from "./world.ts";

/*
 * Questions that follow from an answer: what a list shows can be opened, a page has as many rows as its total says, and
 * a session that was ended has ended.
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
/** Lists that are always on one page. */
const WHOLE = new Set(["listUnits", "listRoles"]);

type Page = { data: Record<string, unknown>[]; total: number; page: number; pageSize: number };

/** What is wrong with what an answer leads to. */
export async function probe(
  plan: Plan,
  request: Sent,
  answer: Answer,
  world: World,
  url: string,
): Promise<Finding | null> {
  if (answer.status >= 300) return null;
  return (
    (await wrongPage(plan, request, answer, url)) ??
    (await hiddenItem(plan, request, answer, url)) ??
    (await livingSession(plan, request, world, url))
  );
}

const pageOf = ({ body }: Answer): Page | null => {
  const page = body as Partial<Page> | null;
  return Array.isArray(page?.data) && typeof page.total === "number" ? (page as Page) : null;
};

/** Rows that are more or fewer than the total says; asked twice, as events of sign-ins are written after their answer. */
async function wrongPage({ operation }: Plan, request: Sent, answer: Answer, url: string) {
  const isRight = (one: Answer) => {
    const page = pageOf(one);
    if (page === null) return true;
    const { data, total, pageSize } = page;
    const before = (page.page - 1) * pageSize;
    const expected = WHOLE.has(operation)
      ? page.page === 1
        ? total
        : 0
      : Math.min(pageSize, Math.max(0, total - before));
    return data.length === expected;
  };
  if (isRight(answer)) return null;
  const again = await sendPatiently(url, request);
  if (isRight(again)) return null;
  const { data, total, page } = pageOf(again) as Page;
  return {
    kind: "list",
    what: `${request.line}\n    shows ${data.length} rows on page ${page} of a total of ${total}`,
  } satisfies Finding;
}

async function hiddenItem({ operation }: Plan, request: Sent, answer: Answer, url: string) {
  const path = ITEMS[operation];
  const [item] = pageOf(answer)?.data ?? [];
  const id = item?.userId !== undefined && operation === "listMembers" ? item.userId : item?.id;
  if (path === undefined || typeof id !== "string") return null;
  const asked: Sent = { ...request, method: "GET", path: `${path}/${id}` };
  const { status } = await sendPatiently(url, asked);
  if (status === 200 || status === 403) return null;
  return {
    kind: "list",
    what: `${request.line}\n    shows ${id}, and ${asked.path} answers ${status}`,
  } satisfies Finding;
}

/** Of whom a successful request ends the second session. */
function endedBy(
  { operation, caller, credentials }: Plan,
  { params }: Sent,
  world: World,
): CallerName | null {
  const { people, others } = world;
  switch (operation) {
    case "changePassword":
    case "endOtherOwnSessions":
    case "deleteProfile":
      return credentials === "own" ? caller : null;
    case "resetPassword":
      return "auditor";
    case "endSessionsOfUser":
    case "deleteUser":
      return CALLERS.find((name) => people[name] === params.id) ?? null;
    case "endOwnSession":
      return CALLERS.find((name) => others[name]?.sid === params.id) ?? null;
    default:
      return null;
  }
}

async function livingSession(plan: Plan, request: Sent, world: World, url: string) {
  const ended = endedBy(plan, request, world);
  const session = ended === null ? undefined : world.others[ended];
  if (session === undefined) return null;
  const headers = { cookie: `refresh_token=${session.cookie}` };
  const init = { method: "POST", headers };
  const { status } = await sendPatiently(url, {
    ...request,
    path: "/api/auth/refresh",
    method: "POST",
    init,
  });
  if (status === 401) return null;
  return {
    kind: "session",
    what: `${request.line}\n    ends the sessions of ${ended}, and one of them still refreshes: ${status}`,
  } satisfies Finding;
}

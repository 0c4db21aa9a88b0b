import { fields, formOf, image } from "../../support/forms.ts";
import type { Random } from "../../support/image-mutations.ts";
import { pngWith } from "../../support/images.ts";
import { ACCOUNT_ACTIONS } from "../world/account-actions.ts";
import * as actions from "../world/organization-actions.ts";
import { requestOf } from "../world/requests.ts";
import type { Person, Role } from "./people.ts";
import type { Effect, Weighted, Work, WorkContext } from "./work-context.ts";
import { addEffect, create, MEMBERS, pick, pickPerson } from "./work-context.ts";

/** The shared actions that are sent, with their weights. The others end what a run needs. */
const WEIGHTS: Record<string, number> = {
  ...{ "create todo": 8, "create another todo": 4, "change todo": 8 },
  ...{ "create unit": 2, "create role": 1, "create role again": 1, "create role by key": 1 },
  ...{ "rename unit": 1, "describe role": 1, "rename organization": 1, "assign in unit": 4 },
  ...{ "reply as reporter": 3, "resolve ticket": 3, "first name": 2, "last name": 2, "read all": 2 },
};
const ACTIONS = { ...ACCOUNT_ACTIONS, ...actions.ORGANIZATION_ACTIONS, ...actions.MACHINE_ACTIONS };
/** The kinds of records that are created below a path. */
const KINDS: Record<string, Effect["kind"]> = {
  ...{ todos: "todo", units: "unit", roles: "role", messages: "message" },
};
const TEXTS = ["title", "name", "message", "firstName", "lastName", "description"];

/** A ticket may have been deleted meanwhile, or have another status. */
const REFUSALS_OF_TICKET = [404, 409, 429];

/** Work that sends a shared action in a random organization, with a text that no other request has. */
const sending =
  (name: string): Work =>
  async (w, random, text) => {
    const world = pick(random, w.worlds);
    const action = ACTIONS[name];
    if (world === undefined || typeof action !== "object") throw new Error(`No action ${name}`);
    const [who, call] = action;
    const [, record] = /\{(todo|ticket)\}/.exec(call) ?? [];
    // Some records exist only after another action.
    if (record !== undefined && world.ids[record] === undefined) return;
    const person = world.people[who] ?? pickPerson(w, random, "operator");
    const { body: given, ...request } = requestOf(world, action);
    const body = { ...(given as Record<string, unknown>) };
    for (const key of TEXTS) if (key in body) body[key] = text;
    const sent = { ...request, ...(given !== undefined && { body }) };
    const refused = record === "ticket" ? REFUSALS_OF_TICKET : [];
    const kind = KINDS[call.split("/").at(-1) ?? ""];
    if (request.method !== "POST" || kind === undefined)
      return w.client.send(person, random(1_000), sent, [200, 204, ...refused]);
    const created = await create(w, random, person, sent, { kind, text }, refused);
    if (kind !== "todo" || typeof created.body.id !== "string") return;
    if (who === "member") world.ids.todo = created.body.id;
    if (random(2) === 0) await expectListed(w, random, person, created.body.id);
  };

/** Checks that the next list contains a record that was just created, on any instance and any server (rules 25.5). */
async function expectListed(w: WorkContext, random: Random, person: Person, id: string) {
  const { status, body } = await w.client.read(person, random(1_000), "/api/todos?pageSize=100");
  const rows = (body.data ?? []) as { id: string }[];
  if (status === 200 && !rows.some((row) => row.id === id))
    w.violations.push(`a todo was created with 201, and the next list lacks it: ${id}`);
}

/** Work that reads one of these paths. */
const reading =
  (roles: Role[], paths: string): Work =>
  (w, random) =>
    w.client.read(pickPerson(w, random, ...roles), random(1_000), `/api/${pick(random, paths.split(" "))}`);

/** A form with an image in most cases. */
function form(random: Random, values: Record<string, string>) {
  const { raw, headers } = formOf([...fields(values), ...(random(4) > 0 ? [image(pngWith())] : [])]);
  return { raw: raw as Uint8Array<ArrayBuffer>, headers: headers ?? {} };
}

/** A member reports a ticket, most with an image; a former one is deleted. */
const report: Work = async (w, random, text) => {
  const world = pick(random, w.worlds);
  const { member, second } = world?.people ?? {};
  if (world === undefined || member === undefined || second === undefined) return;
  const values = { subject: text, category: "BUG", message: text };
  const request = { method: "POST", path: "/api/support/tickets", ...form(random, values) };
  const response = await w.client.send(member, random(1_000), request, [201, 429]);
  addEffect(w, { kind: "message", text }, response);
  if (typeof response.body.id !== "string") return;
  const former = world.ids.ticket;
  world.ids.ticket = response.body.id;
  if (former === undefined || random(4) > 0) return;
  // Requests about the former one may still be running.
  await Bun.sleep(1_000);
  const path = `/api/helpdesk/tickets/${former}`;
  return w.client.send(pickPerson(w, random, "operator"), random(1_000), { method: "DELETE", path }, [204]);
};

const replyAsStaff: Work = async (w, random, text) => {
  const world = pick(random, w.worlds);
  if (world?.ids.ticket === undefined) return;
  const { ticket } = world.ids;
  const path = `/api/organization/helpdesk/tickets/${ticket}/messages`;
  const request = { method: "POST", path, ...form(random, { message: text }) };
  const admin = world.people.founder as Person;
  const response = await w.client.send(admin, random(1_000), request, [201, ...REFUSALS_OF_TICKET]);
  addEffect(w, { kind: "message", text }, response);
  if (response.status === 404 && world.ids.ticket === ticket)
    w.violations.push(`a ticket disappeared: ${ticket}`);
};

const notify: Work = async (w, random) => {
  const person = pickPerson(w, random, ...MEMBERS, "listener");
  const request = { method: "POST", path: "/api/notifications/test" };
  const response = await w.client.send(person, random(1_000), request, [201, 429]);
  if (response.status === 201)
    addEffect(w, { kind: "notification", text: String(response.body.id) }, response);
};

const forgetPassword: Work = (w, random) => {
  const { email } = pickPerson(w, random, ...MEMBERS);
  const request = { method: "POST", path: "/api/auth/forgot-password", body: { email } };
  return w.client.send(pickPerson(w, random, "MEMBER"), random(1_000), request, [202]);
};

/** An incomplete export must not look complete. */
const exportEvents: Work = async (w, random) => {
  const admin = pickPerson(w, random, "ORG_ADMIN");
  const [{ events } = { events: 0 }] = await w.sql(
    `SELECT count(*)::int AS events FROM audit_events WHERE organization_id = '${admin.world.ids.org}'`,
  );
  const path = "/api/organization/audit-events/export?format=ndjson&order=asc";
  const { status, text } = await w.client.send(admin, random(1_000), { method: "GET", path }, [200, 429]);
  const lines = text.split("\n").length - 1;
  if (status === 200 && (lines < Number(events) || !text.endsWith("\n")))
    w.violations.push(`an export with 200 has ${lines} events, there are ${events}`);
};

const refresh: Work = (w, random) =>
  w.client.refresh(pickPerson(w, random, ...MEMBERS, "operator"), random(1_000));

const OWN = "todos notifications support/tickets profile notifications/unread-count";
const OF_ADMIN = `members units roles members/invitations webhooks/endpoints organization/audit-events
  organization/billing events?pageSize=100 organization/helpdesk/tickets`.replaceAll(/\s+/g, " ");

/** Work on records: the shared actions, and reads of members, administrators and operators. */
export const RECORD_WORK: Weighted = [
  ...Object.entries(WEIGHTS).map(([name, weight]): Weighted[number] => [weight, sending(name)]),
  [20, reading(MEMBERS, OWN)],
  [8, reading(["ORG_ADMIN", "machine"], OF_ADMIN)],
  [3, reading(["operator"], "users organizations audit-events helpdesk/tickets")],
  ...([
    [16, refresh],
    [6, report],
    [6, replyAsStaff],
    [6, forgetPassword],
    [3, notify],
    [3, exportEvents],
  ] satisfies Weighted),
];

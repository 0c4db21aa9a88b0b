// Inspections, a product beside the service: Node.js 20, Hono and SQLite. See docs/product.md.
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { secureHeaders } from "hono/secure-headers";
import { ApiError, ConnectionError } from "multi-organization-service-client/server";
import { follow } from "./feed.js";
import { sweep, write } from "./outbox.js";
import { APP_URL, manifest, product } from "./service.js";
import { read, rows, run } from "./store.js";

const base = new URL(manifest.url).pathname.replace(/\/$/, "");
const api = `${base}/api/inspections`;
const app = new Hono();
const refused = (status, code, message) => new HTTPException(status, { message, cause: code });

app.use(
  secureHeaders({ contentSecurityPolicy: { defaultSrc: ["'self'"], frameAncestors: ["'none'"] } }),
  bodyLimit({ maxSize: 65_536 }),
);
app.onError((error, c) => {
  if (error instanceof HTTPException)
    return c.json({ code: error.cause ?? "ERROR", message: error.message }, error.status);
  console.error(error);
  // The service had to be asked, and did not answer.
  if (error instanceof ConnectionError || error instanceof ApiError)
    return c.json({ code: "SERVICE_UNAVAILABLE", message: "Try again in a moment" }, 503);
  return c.json({ code: "INTERNAL", message: "Something went wrong" }, 500);
});

app.use(`${api}/*`, async (c, next) => {
  const [scheme, token] = (c.req.header("authorization") ?? "").split(" ");
  const socket = getConnInfo(c).remote.address;
  // Only a proxy of your own may say where a request came from.
  const ip = process.env.TRUST_PROXY ? c.req.header("x-forwarded-for")?.split(",").at(-1).trim() : socket;
  const bearer = /^bearer$/i.test(scheme) ? token : null;
  // A token is good for up to 15 minutes. Before what cannot be undone, the service says what is true now.
  const caller =
    c.req.method === "DELETE"
      ? await product.check({ token: bearer, ip }, { fresh: true })
      : await product.verify(bearer, ip);
  if (!caller.active) throw refused(401, caller.reason, "Sign in");
  c.set("caller", caller);
  c.set("ip", ip);
  await next();
});

/** Returns the records of the caller's organization in the units in which they may read, or the one with this id. */
function seen(caller, id = null) {
  const units = JSON.stringify(caller.reach("Inspections.Read")); // "null" for the whole organization
  return rows(
    `SELECT * FROM shown WHERE organization_id = :organization AND (:id IS NULL OR id = :id)
       AND (:units = 'null' OR unitId IN (SELECT value FROM json_each(:units))) ORDER BY number DESC`,
    { organization: caller.organization.id, units, id },
  );
}

/** Returns a record that the caller may read and, with a permission, change. */
function found(c, permission = "Inspections.Read") {
  const [record] = seen(c.var.caller, c.req.param("id"));
  if (!record) throw refused(404, "NOT_FOUND", "There is no such inspection");
  if (!c.var.caller.can(permission, record.unitId)) throw refused(403, "FORBIDDEN", `You need ${permission}`);
  return record;
}

/** Changes a record by a statement and reports it; responds with the record as it is then. */
async function change(c, { id }, statement, values, changes) {
  const isChanged = await write({ ...c.var, id }, statement, values, changes);
  if (!isChanged) throw refused(409, "CONFLICT", "Not in this state");
  return c.json(seen(c.var.caller, id)[0] ?? null);
}

const reachOf = (unitId) => (unitId === null ? "organization" : { unitId });
const body = (c) =>
  c.req.json().catch(() => {
    throw refused(400, "VALIDATION_FAILED", "The body must be a JSON object");
  });

app.get(api, (c) => c.json({ data: seen(c.var.caller) }));
app.get(`${api}/:id`, (c) => c.json(found(c)));

app.post(api, async (c) => {
  const { caller } = c.var;
  const { title: given, unitId = null } = await body(c);
  const title = String(given ?? "")
    .replace(/\s+/g, " ")
    .trim();
  if (title === "" || title.length > 100 || !(unitId === null || typeof unitId === "string"))
    throw refused(
      400,
      "VALIDATION_FAILED",
      "title must have 1 to 100 characters, unitId must be a unit or null",
    );
  if (!caller.can("Inspections.Create", unitId))
    throw refused(403, "FORBIDDEN", "You need Inspections.Create");
  const id = randomUUID();
  // The service refuses a unit that is none of this organization, and with it the whole call.
  const event = { type: "inspection.created", objectId: id, object: { id, title }, reach: reachOf(unitId) };
  await write(
    { ...c.var, id },
    "INSERT INTO inspections (id, organization_id, unit_id, title) VALUES (:id, :organization, :unitId, :title)",
    { organization: caller.organization.id, unitId, title },
    { usage: [{ limit: "inspections", id, amount: 1 }], events: [event] },
  );
  const [{ state, reason }] = rows("SELECT state, reason FROM inspections WHERE id = :id", { id }).concat({
    state: "refused",
    reason: "The organization was deleted",
  });
  if (state !== "refused") return c.json({ id, unitId, title, state }, state === "pending" ? 202 : 201);
  run("DELETE FROM inspections WHERE id = :id", { id });
  throw refused(403, "REFUSED", reason);
});

app.post(`${api}/:id/complete`, (c) => {
  const record = found(c, "Inspections.Update");
  const { id, title, unitId } = record;
  const event = { type: "inspection.completed", objectId: id, object: { id, title }, reach: reachOf(unitId) };
  const statement = "UPDATE inspections SET state = 'completed' WHERE id = :id AND state = 'active'";
  return change(c, record, statement, {}, { events: [event] });
});

app.post(`${api}/:id/assign`, async (c) => {
  const record = found(c, "Inspections.Update");
  const { id, title, unitId } = record;
  const userId = String((await body(c)).userId);
  const person = /^[\da-f-]{36}$/.test(userId)
    ? await product.check({ organizationId: c.var.caller.organization.id, userId })
    : { active: false };
  if (!person.active || !person.can("Inspections.Read", unitId))
    throw refused(400, "VALIDATION_FAILED", "userId must be a member who may read the inspection");
  run("INSERT INTO people VALUES (:id, :name) ON CONFLICT (id) DO UPDATE SET name = :name WHERE name <> ''", {
    id: userId,
    name: person.actor.name,
  });
  const notice = { type: "INSPECTION_ASSIGNED", userIds: [userId], data: { id, title } };
  const statement =
    "UPDATE inspections SET assignee_id = :userId WHERE id = :id AND state IN ('active', 'completed')";
  return change(c, record, statement, { userId }, { notifications: [notice] });
});

app.delete(`${api}/:id`, (c) => {
  const record = found(c, "Inspections.Delete");
  const { id, title, unitId } = record;
  const entry = { action: "INSPECTION_DELETED", targetId: id, metadata: { title }, reach: reachOf(unitId) };
  const usage = { limit: "inspections", id, amount: 0 };
  const statement = "DELETE FROM inspections WHERE id = :id AND state <> 'pending'";
  return change(c, record, statement, {}, { usage: [usage], audit: [entry] });
});

const page = read("page.html").replaceAll("{{BASE}}", base).replaceAll("{{APP_URL}}", APP_URL);
const script = read("page.js");
app.get(`${base}/page.js`, (c) => c.body(script, 200, { "content-type": "text/javascript" }));
for (const path of [base || "/", `${base}/`, `${base}/:id`]) app.get(path, (c) => c.html(page));

async function forever(work) {
  for (;;)
    try {
      await work();
    } catch (error) {
      console.error(`${work.name}:`, error.message);
      await setTimeout(1000);
    }
}

for (const work of [sweep, follow]) void forever(work);
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT ?? 5173) });

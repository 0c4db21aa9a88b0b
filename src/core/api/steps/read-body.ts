import { RequestDatabase } from "../../../platform/db/request-database.ts";
import { assertDeclaredLength, readJson } from "../../../platform/http/body.ts";
import { accountOf } from "../../access/access.ts";
import type { StepOf } from "./incoming.ts";

/** Rejects a request by headers that only its route knows, before the body is read. */
export const checkHeaders: StepOf = ({ beforeBody, request }) => {
  const body = request?.body;
  const large = body?.kind === "raw" || body?.kind === "form" ? body : null;
  if (beforeBody === undefined && large === null) return null;
  return (incoming) => {
    if (large !== null && (large.kind === "raw" || large.isSent(incoming.request)))
      assertDeclaredLength(incoming.request, large.maxBytes);
    beforeBody?.(incoming.request.headers, incoming.app);
  };
};

/** Reads JSON or bytes (rules 2.4, 3). A form is read later, so that only permitted callers can send one. */
export const readBody: StepOf = ({ method, request }) => {
  const body = request?.body;
  if (body?.kind === "raw")
    return async ({ c, app, request, context }) => {
      c.set("bytes", await app.bodies[body.memory].read(request, body.maxBytes, context.ip));
    };
  if (method === "get") return null;
  const maxBytes = body?.kind === "json" ? body.maxBytes : undefined;
  return async (incoming) => {
    const { app, request, context } = incoming;
    if (body?.kind === "form" && body.isSent(request)) return;
    incoming.json = await readJson(request, app.bodies.json, context.ip, maxBytes);
  };
};

/** Starts the deadline for the database: the request has arrived completely. */
export const startDeadline: StepOf =
  ({ connections }) =>
  (incoming) => {
    const { db } = incoming.context;
    const own = new RequestDatabase(db, connections === "sign-in" ? db.signIns : db);
    incoming.db = own;
    // Each query of a streamed response has its own deadline.
    incoming.atEnd(() => own.clearDeadline());
  };

/** Reads a form, after authorization, so that only permitted callers can send a body of this size. */
export const readFormBody: StepOf = ({ request }) => {
  const body = request?.body;
  if (body?.kind !== "form") return null;
  return async (incoming) => {
    const { app, actor, db, request } = incoming;
    if (!body.isSent(request)) return;
    const { formMemory: memory, formMilliseconds: milliseconds } = app.bodies;
    const options = { account: actor === null ? "" : accountOf(actor), memory, milliseconds };
    const form = await db.excludeFromDeadline(() => body.read(request, body.schema, options));
    incoming.form = form;
    incoming.atEnd(() => form.release());
  };
};

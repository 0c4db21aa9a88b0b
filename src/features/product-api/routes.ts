import { json, jsonBody, Router, route } from "#kit";
import { check } from "./check.ts";
import { Check, CheckBody } from "./schemas.ts";

const checkRoute = route({
  operationId: "checkCaller",
  method: "post",
  path: "/api/product/check",
  tags: ["product"],
  summary: "Who is this, and what may they do?",
  description:
    "Reads everything from the database: a role that was taken away has no effect from the next call on. Knows the names of the manifest alone. Ask again before what cannot be undone.",
  access: "product",
  request: { body: jsonBody(CheckBody, { token: "eyJhbGciOiJFUzI1NiJ9…" }) },
  responses: { 200: json(Check, "The caller, or why there is none") },
});

/** The routes of the product. They exist only with a manifest, and only for its key. */
export const productRoutes = new Router().openapi(checkRoute, async (c) =>
  c.json(await check(c.var.call, c.req.valid("json")), 200),
);

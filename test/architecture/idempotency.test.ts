import { expect, test } from "bun:test";
import { z } from "zod";
import { exceptionsOfProduct } from "../support/product-cases.ts";
import { definitions, schemaOf } from "../support/routes.ts";

/* The POST routes that do not accept an `Idempotency-Key` (rules 27.1), each with its reason. */
const WITHOUT: [reason: string, isReason: (path: string) => boolean][] = [
  ["credentials are never repeated", (path) => /^\/api\/auth\/(?!organizations$)/.test(path)],
  ["changes of the caller's own credentials and account", (path) => path.startsWith("/api/profile/")],
  ["reading a notification twice is reading it", (path) => path.startsWith("/api/notifications/")],
  ["asking DNS twice does no more than asking once", (path) => path.endsWith("/domains/{id}/verify")],
  [
    "a test of a connection binds the browser that begins it",
    (path) => path.endsWith("/connections/{id}/test"),
  ],
  ["a preview writes nothing", (path) => path.endsWith("/mappings/preview")],
  ["a request of an app is approved once by its token", (path) => path.startsWith("/api/oauth/auth")],
  [
    "apps repeat requests for tokens by the tokens themselves",
    (path) => /^\/api\/oauth\/(?:token|revoke)$/.test(path),
  ],
  ["the payment provider repeats events by their id", (path) => path === "/api/billing/webhook"],
];

test("every POST accepts an Idempotency-Key unless it is a listed exception, and no other method does", () => {
  const ofProduct = exceptionsOfProduct("withoutKey");
  for (const { method, path, operationId, idempotent } of definitions) {
    const isExcepted = ofProduct.includes(operationId) || WITHOUT.some(([, isReason]) => isReason(path));
    expect([path, idempotent ?? false]).toEqual([path, method === "post" && !isExcepted]);
  }
});

test("every listed exception from Idempotency-Key matches a POST route", () => {
  const posts = definitions.filter(({ method }) => method === "post");
  for (const [reason, isReason] of WITHOUT)
    expect([reason, posts.some(({ path }) => isReason(path))]).toEqual([reason, true]);
});

test("a value that a response shows only once is nullable in its schema, because it is null in a replay", () => {
  for (const { path, shownOnce = [], responses } of definitions)
    for (const name of shownOnce) {
      const schemas = Object.values(responses).flatMap((response) => schemaOf(response) ?? []);
      expect([path, schemas.length]).toEqual([path, 1]);
      const { shape } = schemas[0] as z.ZodObject;
      expect([path, name, shape[name] instanceof z.ZodNullable]).toEqual([path, name, true]);
    }
});

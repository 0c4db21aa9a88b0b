import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, Hono, Schema, ToSchema } from "hono";
import type { Release } from "../../platform/concurrency.ts";
import type { Database } from "../../platform/db/database.ts";
import { RequestDatabase } from "../../platform/db/request-database.ts";
import { ApiError, notFound, validationFailed } from "../../platform/errors.ts";
import { readJson } from "../../platform/http/body.ts";
import { assertDeclaredLength } from "../../platform/http/body-reader.ts";
import { userAgentFrom } from "../../platform/http/headers.ts";
import { queryOf } from "../../platform/http/target.ts";
import { rejectAfterDelay } from "../../platform/reject-after-delay.ts";
import type { Violation } from "../../platform/violations.ts";
import { isObject } from "../definitions/known-parts.ts";
import { type Form, isForm, readForm } from "../forms/form.ts";
import { MAX_FORM_BYTES } from "../forms/form-body-reader.ts";
import { authenticate, checkAccess } from "./guard.ts";
import { readIdempotencyKey } from "./idempotent.ts";
import { inputReader } from "./input.ts";
import { readLimiterOf } from "./read-limiter.ts";
import type { RequestContext } from "./request-context.ts";
import { type RouteDefinition, readLimitOf, takesFilters } from "./route.ts";
import type { CallOf, HonoPath, InputOf, SuccessOf } from "./route-types.ts";
import type { ResponsesOf } from "./shared-errors.ts";
import { throttleOf } from "./throttle.ts";
import { writeLimiterOf, writeLimits } from "./write-limiter.ts";

/** The environment of a request, `c.env`. */
export type RequestBindings = {
  socketAddress: string;
  /** The request as received. In `c.req.raw`, a HEAD request is a GET request. */
  received: Request;
  /** The database of this request, only in runtimes in which requests cannot share connections. */
  db?: Database;
  readiness?: RequestContext["readiness"];
};

export type RouterEnv = { Bindings: RequestBindings; Variables: { request: RequestContext } };

type Variables<R extends RouteDefinition> = RouterEnv["Variables"] & {
  call: CallOf<R>;
  /** The body of a route that reads bytes. */
  bytes: Uint8Array;
};
export type RouteContext<R extends RouteDefinition> = Context<
  { Bindings: RequestBindings; Variables: Variables<R> },
  HonoPath<R["path"]>,
  InputOf<R>
>;
type RouteHandler<R extends RouteDefinition> = (c: RouteContext<R>) => SuccessOf<R> | Promise<SuccessOf<R>>;

/**
 * The key of a route's definition in the registry. It is a symbol, so that it does not appear in the OpenAPI
 * document.
 */
const DEFINITION = Symbol("definition");

const OpenApiBase = OpenAPIHono as unknown as new <S extends Schema>(
  options?: ConstructorParameters<typeof Hono>[0],
) => Hono<RouterEnv, S, "/"> & Pick<OpenAPIHono, "openAPIRegistry" | "getOpenAPI31Document">;

/**
 * Extends Hono's router by `openapi` for this service's routes. Each route is added to the OpenAPI document and
 * mounted as one handler, which runs the checks in the order of rules 2.4 and then calls the route's handler.
 * Routes have no middleware of their own.
 */
// biome-ignore lint/complexity/noBannedTypes: Hono's own word for a schema without routes
export class Router<S extends Schema = {}> extends OpenApiBase<S> {
  /** `openapi` is a property instead of a method, because it is a property in Hono's class. */
  openapi = <const R extends RouteDefinition>(
    definition: R,
    handle: RouteHandler<R>,
  ): Router<S & ToSchema<R["method"], HonoPath<R["path"]>, InputOf<R>, ResponsesOf<R>>> => {
    this.openAPIRegistry.registerPath({ ...definition, [DEFINITION]: definition } as never);
    const path = definition.path.replaceAll(/\{(\w+)\}/g, ":$1");
    this.on(definition.method.toUpperCase(), path, buildHandler(definition, handle as never));
    return this as never;
  };
}

/** Returns the routes of a router and of the routers mounted in it. */
export const definitionsOf = (router: object): RouteDefinition[] =>
  (router as OpenAPIHono).openAPIRegistry.definitions.flatMap((entry) =>
    entry.type === "route" ? [(entry.route as unknown as { [DEFINITION]: RouteDefinition })[DEFINITION]] : [],
  );

const NO_PARAMS = {};

/** Wraps the handler of a route in its checks. */
function buildHandler(definition: RouteDefinition, handle: (c: Context) => Response | Promise<Response>) {
  const { path, method, throttle, connections, furtherViolations, request: parts } = definition;
  const throttling = throttle && throttleOf(throttle);
  const body = parts?.body;
  const readsJson = method !== "get" && body?.kind !== "raw";
  const hasParams = parts?.params !== undefined;
  const readInput = inputReader(
    { params: parts?.params, query: parts?.query, body },
    { filterHeaders: takesFilters(definition), idempotencyKey: definition.idempotent ?? false },
  );

  const readLimit = readLimitOf(definition);

  return async (
    c: Context<{
      Bindings: RequestBindings;
      Variables: RouterEnv["Variables"] & { call: unknown; bytes: Uint8Array };
    }>,
  ) => {
    const context = c.get("request");
    const { app, ip, requestId } = context;
    const request = c.req.raw;
    context.route = path;
    let form: Form | null = null;
    let db: RequestDatabase | null = null;
    let endRead: Release | null = null;
    try {
      if (definition.existsIf?.(app.config) === false) throw notFound();
      const throttled = throttling && (await throttling.perIp(app, ip));
      if (throttled) return throttled;
      const actor = await authenticate(definition, request, context);
      const writeLimiter = writeLimiterOf(app);
      // The write limit is checked before the body is read, so that rejecting a request costs little.
      if (method !== "get" && actor !== null && !writeLimiter.hasRoom(writeLimits(definition, { actor })))
        await rejectAfterDelay();
      if (method === "get" && actor !== null && readLimit === null) {
        const turn = readLimiterOf(app).read(actor, { request, maxWaitMs: context.db.maxWaitMs });
        endRead = turn instanceof Promise ? await turn : turn;
      }
      if (body?.kind === "raw") assertDeclaredLength(request, body.maxBytes);
      definition.beforeBody?.(request.headers, app);
      const bytes = body?.kind === "raw" ? await app.bodies.raw.read(request, body.maxBytes, ip) : null;
      const isWithForm = body?.kind === "form" && isForm(request);
      if (isWithForm) assertDeclaredLength(request, MAX_FORM_BYTES);
      const json = readsJson && !isWithForm ? await readJson(request, app.bodies.json, ip) : undefined;
      // The deadline for the database starts here, because the request has arrived completely.
      db = new RequestDatabase(context.db, connections === "sign-in" ? context.db.signIns : context.db);
      const service = { app, db, log: app.log };
      const admission = actor && checkAccess(definition, actor, request.headers, service, json);
      const admitted = admission instanceof Promise ? await admission : admission;
      if (admitted !== null) {
        const limits = writeLimits(definition, admitted);
        db.limitWrites(({ deadlineAt, isContinued }) =>
          writeLimiter.acquire(limits, { request, deadlineAt, alwaysWaits: isContinued }),
        );
      }
      const actorId = actor?.id ?? null;
      // A form is read after authorization, so that only permitted callers can send a body of this size.
      form = isWithForm
        ? await db.excludeFromDeadline(() =>
            readForm(request, body.schema, actorId ?? "", app.bodies.formMilliseconds),
          )
        : null;
      const raw = {
        params: hasParams ? c.req.param() : NO_PARAMS,
        query: definition.acceptsAnyQuery ? "" : queryOf(request.url),
        body: form === null ? json : form.fields,
        headers: request.headers,
        form,
      };
      const input =
        furtherViolations === undefined
          ? readInput(raw)
          : await withFurther(
              () => readInput(raw),
              () => (isObject(json) ? furtherViolations(json, { ...service, actor }) : []),
            );
      if (definition.access === "api-key" && actor?.type === "user") throw notFound();
      if (throttling && actorId !== null) await throttling.perUser(app, actorId);
      const idempotencyKey =
        definition.idempotent && admitted !== null
          ? await readIdempotencyKey(definition, admitted, { app, request, body: raw.body, form })
          : null;

      if (input.params !== null) c.req.addValidatedData("param", input.params);
      if (input.query !== null) c.req.addValidatedData("query", input.query);
      if (body?.kind === "json") c.req.addValidatedData("json", input.body ?? {});
      if (body?.kind === "form")
        c.req.addValidatedData("form", { ...input.body, images: form?.images ?? [] });
      if (bytes !== null) c.set("bytes", bytes);
      c.set("call", {
        ...service,
        actor: null,
        ...admitted,
        ...(definition.idempotent && { idempotencyKey }),
        requestId,
        ip,
        userAgent: userAgentFrom(request.headers),
      });
      if (readLimit === null || admitted === null) return await handle(c);
      const readLimiter = readLimiterOf(app);
      const work = async () => handle(c);
      return readLimit === "list"
        ? await readLimiter.list(admitted.actor, { request, maxWaitMs: db.maxWaitMs }, work)
        : await readLimiter.export(admitted.actor, readLimit, work);
    } finally {
      // Each query of a streamed response has its own deadline.
      db?.clearDeadline();
      endRead?.();
      form?.release();
    }
  };
}

/** Adds the violations that the schemas cannot express to those that the schemas found. */
async function withFurther<T>(read: () => T, further: () => Violation[] | Promise<Violation[]>): Promise<T> {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ApiError) || error.extra.errors === undefined) throw error;
    throw validationFailed([...error.extra.errors, ...(await further())]);
  }
}

import type { Hono } from "hono";
import { RequestDatabase } from "../../platform/db/request-database.ts";
import { ApiError } from "../../platform/errors.ts";
import { readJson } from "../../platform/http/body.ts";
import { refuseLarge } from "../../platform/http/body-intake.ts";
import { type Form, isForm, readForm, type Upload } from "../../platform/http/form.ts";
import { MOST_BYTES as MOST_FORM_BYTES } from "../../platform/http/form-intake.ts";
import { userAgentFrom } from "../../platform/http/headers.ts";
import { queryOf } from "../../platform/http/target.ts";
import type { App } from "../context.ts";
import { type Endpoint, readingOf, takesFilters } from "./endpoint.ts";
import { admit } from "./guard.ts";
import { inputReader } from "./input.ts";
import { ReadingGate } from "./reading-gate.ts";
import type { Responder } from "./respond.ts";
import { perIpThrottle, perUserThrottle } from "./throttle.ts";

/** What a request brings along from the socket, and what the log says of it in the end. */
export interface RequestState {
  readonly requestId: string;
  readonly ip: string;
  /** The path as declared, set once it is known. */
  route: string | null;
  userId: string | null;
  /** Whether the answer has the headers that every answer has. */
  isComplete: boolean;
}
export type HttpEnv = { Bindings: RequestState };

const NO_PARAMS = {};
const NO_BYTES = new Uint8Array();
const NO_IMAGES: Upload[] = [];

/**
 * Mounts endpoints: each gets the same checks in the contract's order (1.1), then its handler.
 */
export function mount(hono: Hono<HttpEnv>, app: App, respond: Responder, endpoints: Endpoint[]): void {
  // Of `/members/invitations` and `/members/{userId}` the literal one is meant where both match.
  const literalFirst = [...endpoints].sort(
    (one, other) => one.definition.path.split("{").length - other.definition.path.split("{").length,
  );
  const gate = new ReadingGate();
  for (const { definition, handle } of literalFirst) {
    const { method, path, rawBodyBytes } = definition;
    const throttle = definition.throttled ? perIpThrottle(app.config.throttleLimit) : null;
    const perUser =
      definition.perUserAMinute === undefined ? null : perUserThrottle(definition.perUserAMinute);
    const formSchema = definition.images ? (definition.body ?? null) : null;
    const takesBody = method !== "get" && rawBodyBytes === undefined;
    const reading = readingOf(definition);
    const hasParams = definition.params !== undefined;
    const readInput = inputReader(definition, { filterHeaders: takesFilters(definition) });

    hono.on(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ":$1"), async (c) => {
      const state = c.env;
      const request = c.req.raw;
      state.route = path;
      let form: Form | null = null;
      let db: RequestDatabase | null = null;
      try {
        try {
          if (throttle !== null) await throttle(state.ip);
        } catch (error) {
          if (!(error instanceof ApiError) || definition.whenThrottled === undefined) throw error;
          return definition.whenThrottled(app);
        }
        if (rawBodyBytes !== undefined) refuseLarge(request, rawBodyBytes);
        definition.beforeBody?.(request.headers, app);
        const bytes =
          rawBodyBytes === undefined ? NO_BYTES : await app.bodies.raw.read(request, rawBodyBytes);
        const isWithForm = formSchema !== null && isForm(request);
        if (isWithForm) refuseLarge(request, MOST_FORM_BYTES);
        const json = takesBody && !isWithForm ? await readJson(request, app.bodies.json) : undefined;
        // From here on the client keeps nobody waiting.
        db = new RequestDatabase(app.db);
        const host = { ...app, db };
        const admission = admit(definition, request.headers, host);
        const admitted = admission instanceof Promise ? await admission : admission;
        state.userId = admitted?.actor.userId ?? null;
        // After who calls is known: nobody else may send so much.
        form = isWithForm
          ? await db.pauseWhile(() =>
              readForm(request, formSchema, state.userId ?? "", app.bodies.formMilliseconds),
            )
          : null;
        const input = readInput({
          params: hasParams ? c.req.param() : NO_PARAMS,
          query: definition.takesAnyQuery ? "" : queryOf(request.url),
          body: form === null ? json : form.fields,
          headers: request.headers,
          form,
        });

        if (perUser !== null && admitted !== null) await perUser(admitted.actor.userId);
        const call = {
          app: host,
          actor: null,
          ...admitted,
          requestId: state.requestId,
          ip: state.ip,
          userAgent: userAgentFrom(request.headers),
        };
        const received = formSchema === null ? bytes : (form?.images ?? NO_IMAGES);
        const work = () => handle(call, input, request, received);
        const reply =
          reading === null || admitted === null
            ? await work()
            : reading === "list"
              ? await gate.list(admitted.actor, request.signal, work)
              : await gate.export(admitted.actor, work);
        return "response" in reply ? reply.response : respond.with(reply, state);
      } catch (error) {
        return respond.withError(error, state);
      } finally {
        // What a stream still reads has its own time.
        db?.lift();
        form?.letGo();
      }
    });
  }
}

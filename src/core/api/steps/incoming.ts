import type { Context } from "hono";
import type { RequestDatabase } from "../../../platform/db/request-database.ts";
import type { Actor } from "../../access/access.ts";
import type { AccessTokenClaims } from "../../access/access-token.ts";
import type { TokenPermissions } from "../../access/effective-permissions.ts";
import type { Form } from "../../forms/form.ts";
import type { IdempotencyKey } from "../../idempotency/key.ts";
import type { RequestContext, RouterEnv } from "../request-context.ts";
import type { RouteDefinition } from "../route.ts";

/** The authorized caller of a route and, on a route of an organization, the caller's permissions there. */
export type CallerAccess = {
  actor: Actor;
  organizationId?: string;
  organizations?: string[] | null;
  permissions?: TokenPermissions;
};

export type StepContext = Context<{
  Bindings: RouterEnv["Bindings"];
  Variables: RouterEnv["Variables"] & {
    call: unknown;
    bytes: Uint8Array;
    caller: AccessTokenClaims | null;
  };
}>;

/** A request on its way through the steps of its route, with what they have found out so far. */
export class Incoming {
  readonly context: RequestContext;
  readonly request: Request;
  /** The caller; null before `authenticateCaller` and on public routes. */
  actor: Actor | null = null;
  /** The database of the request, from `startDeadline` on, when the request has arrived. */
  db!: RequestDatabase;
  /** The JSON body as received; undefined if there is none. */
  json: unknown;
  /** The form as received; null if the body is no form. */
  form: Form | null = null;
  /** The caller's access, from `checkCallerAccess` on; null on public routes. */
  access: CallerAccess | null = null;
  idempotencyKey: IdempotencyKey | null = null;
  /** Whether the route's own handler has returned a response without an error. */
  hasSucceeded = false;
  private readonly ends: (() => void)[] = [];

  constructor(readonly c: StepContext) {
    this.context = c.get("request");
    this.request = c.req.raw;
  }

  get app() {
    return this.context.app;
  }

  get service() {
    return { app: this.app, db: this.db, log: this.app.log };
  }

  /** Registers what must run when the response is made, also after an error. */
  atEnd(end: () => void): void {
    this.ends.push(end);
  }

  end(): void {
    for (const end of this.ends) end();
  }
}

/**
 * Does its part of a request: checks it, or reads something into `incoming`. Throws an `ApiError` if the request is
 * refused. A returned `Response` ends the request; anything else is ignored.
 */
export type Step = (incoming: Incoming) => unknown;

/** Returns a step of a route, or null if the route does not need it. */
export type StepOf = (definition: RouteDefinition) => Step | null;

import type { JobKind } from "../../platform/jobs/queue.ts";
import type { Config } from "../config.ts";
import type { Service } from "../context.ts";
import type { Declarations } from "../features.ts";
import type { RetentionQuery } from "../retention.ts";
import type { Router } from "./router.ts";

/** What the service knows of a feature. Each feature has one, in its `feature.ts`; src/app/features.ts lists them. */
export type Feature = Declarations & {
  /** The routes, in their order in the OpenAPI document. If two paths match, the first one wins. */
  // biome-ignore lint/suspicious/noExplicitAny: routers differ in the schema of their routes
  routes?: readonly Router<any>[];
  /** Routes that do not exist in production. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  developmentRoutes?: readonly Router<any>[];
  /** Kinds of jobs: queued ones and scheduled ones. */
  jobs?: readonly JobKind<Service>[];
  /** Queries that delete expired rows, run once a day in batches. */
  retention?: readonly RetentionQuery[] | ((config: Config) => readonly RetentionQuery[]);
};

/**
 * Declares a feature: returns the same object and keeps its types.
 * @example export const todos = feature({ routes: [todoRoutes], limits: { todos: countTodos } });
 */
export const feature = <const F extends Feature>(parts: F): F => parts;

import type { Database } from "../../platform/db/database.ts";
import type { ErrorShape } from "../../platform/errors.ts";
import type { Actor } from "../access/access.ts";
import type { App } from "../context.ts";
import type { Readiness } from "./readiness.ts";

/** The context of a request, `c.var.request`: data about the connection, and data for the log line. */
export interface RequestContext {
  readonly app: App;
  readonly db: Database;
  readonly requestId: string;
  readonly ip: string;
  readonly userAgent: string | null;
  readonly readiness: () => Promise<Readiness>;
  /** The caller of a request that the service makes itself, in the name of one that it has verified and counted. */
  readonly caller?: Actor;
  /** The path as the route declares it; set when the route is known. */
  route: string | null;
  userId: string | null;
  /** Whether the caller is the product. */
  isProduct?: true;
  /** The service account and the API key of the caller; set when the key is verified. */
  serviceAccountId?: string;
  apiKeyId?: string;
  /** The grant of the app that acts for the user; set when its token is verified. */
  grantId?: string;
  /** The values of the headers that report the limits of the caller's API key or of the app. */
  rateLimit?: { policy: string; state: string };
  /** The tool that an agent called, and the operation that it named; set at `/mcp`. */
  tool?: string;
  operation?: string;
  /** The shape of the error, on routes that have another than ours. */
  errorShape?: ErrorShape | undefined;
  /** The error code of the response, if it is an error. */
  code: string | undefined;
  /** The trace that the request belongs to, if any. */
  traceId: string | undefined;
}

/** The environment of a request, `c.env`. */
export type RequestBindings = {
  socketAddress: string;
  /** The request as received. In `c.req.raw`, a HEAD request is a GET request. */
  received: Request;
  /** The database of this request, only in runtimes in which requests cannot share connections. */
  db?: Database;
  readiness?: RequestContext["readiness"];
  /** The context of a request that the service makes itself, in the name of one that it has verified and counted. */
  context?: RequestContext;
};

export type RouterEnv = { Bindings: RequestBindings; Variables: { request: RequestContext } };

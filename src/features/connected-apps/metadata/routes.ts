import { Hono } from "hono";
import { type Config, notFound, type RouterEnv } from "#kit";
import { resourceMetadata, serverMetadata } from "./documents.ts";

const SERVER = "/.well-known/oauth-authorization-server";
const RESOURCE = "/.well-known/oauth-protected-resource";

type Describe = (config: Config) => object | null;

const document = (path: string, describe: Describe) =>
  new Hono<RouterEnv>().get(path, (c) => {
    const request = c.get("request");
    request.route = path;
    const { config } = request.app;
    const described = config.oauth ? describe(config) : null;
    if (described === null) throw notFound();
    return c.json(described, 200, { "cache-control": "public, max-age=300" });
  });

const ofMcp: Describe = (config) => (config.mcp === "off" ? null : resourceMetadata("mcp", config));
const ofApi: Describe = (config) => resourceMetadata("api", config);

/**
 * The documents by which apps find out how to get a token (rules 46.25). The one at the root is that of `/mcp`, for clients that
 * do not ask for the document of a path.
 */
export const metadataRoutes = new Hono<RouterEnv>()
  .route("/", document(SERVER, serverMetadata))
  .route("/", document(`${RESOURCE}/mcp`, ofMcp))
  .route("/", document(`${RESOURCE}/api`, ofApi))
  .route("/", document(RESOURCE, ofMcp));

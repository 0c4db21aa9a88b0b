import { Hono } from "hono";
import { etag, RETAINED_304_HEADERS } from "hono/etag";
import type { RouterEnv } from "./request-context.ts";

const PATH = "/.well-known/jwks.json";
const ANY_ORIGIN = "access-control-allow-origin";
const tagged = etag({ retainedHeaders: [...RETAINED_304_HEADERS, ANY_ORIGIN] });

/** The public keys of access tokens for verifiers (RFC 7517), empty without a signing key. Anybody may read them. */
export const keySetRoutes = new Hono<RouterEnv>().get(PATH, tagged, (c) => {
  const request = c.get("request");
  request.route = PATH;
  c.header("cache-control", "public, max-age=300");
  c.header(ANY_ORIGIN, "*");
  return c.json({ keys: request.app.signingKeys.published });
});

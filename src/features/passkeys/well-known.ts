import { Hono } from "hono";
import { notFound, type RouterEnv } from "#kit";

/**
 * The well-known URLs of passkeys, which browsers and password managers request: the origins that may use the
 * passkeys (related origin requests), and the pages of the client that manage passkeys.
 */
export const wellKnownRoutes = new Hono<RouterEnv>()
  .get("/.well-known/webauthn", (c) => {
    const { config } = c.get("request").app;
    c.get("request").route = "/.well-known/webauthn";
    if (config.passkeys.mode === "off") throw notFound();
    return c.json({ origins: config.passkeys.origins });
  })
  .get("/.well-known/passkey-endpoints", (c) => {
    const { config } = c.get("request").app;
    c.get("request").route = "/.well-known/passkey-endpoints";
    if (config.passkeys.mode === "off") throw notFound();
    return c.json({ enroll: `${config.appUrl}/profile`, manage: `${config.appUrl}/profile` });
  });

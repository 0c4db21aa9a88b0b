import { timingSafeEqual } from "node:crypto";
import { type App, memoizePerApp, Rate, tokenHash, tooManyRequests } from "#kit";
import { type RequestContext, rateLimitField } from "#kit/inside";
import { PRODUCT_ACTOR, type ProductActor } from "../../core/access/access.ts";
import { productKeyRequired } from "../../core/access/errors.ts";
import { isApiKey } from "../../core/access/token-forms.ts";
import { countUnknownKey } from "../service-accounts/find-api-key.ts";
import { PRODUCT_PREFIX } from "./config.ts";
import { LIMITS } from "./limits.ts";

const keysOf = memoizePerApp(({ config }) => ({
  digests: config.productKeys.map((key) => Buffer.from(tokenHash(key))),
  requests: new Rate({ ...LIMITS.productRequests, points: config.productRateLimit }),
}));

/** Whether a bearer token is a key of the product. Digests are compared in constant time. */
export function isProductKey(token: string, app: App): boolean {
  const { digests } = keysOf(app);
  if (digests.length === 0 || !isApiKey(token)) return false;
  const digest = Buffer.from(tokenHash(token));
  return digests.map((known) => timingSafeEqual(known, digest)).includes(true);
}

/**
 * Verifies the key of the product, on its own routes and on any other, and counts the request for its limit.
 * @throws productKeyRequired; tooManyRequests, also from the 21st unknown key of an address in a minute on
 */
export function verifyProductKey(token: string, context: RequestContext): ProductActor {
  const { app } = context;
  if (!isProductKey(token, app)) {
    // An API key may be a known one of a service account, on a route that is not for it.
    if (token.startsWith(`${PRODUCT_PREFIX}_`) && isApiKey(token)) countUnknownKey(context);
    throw productKeyRequired();
  }
  context.isProduct = true;
  const { requests } = keysOf(app);
  const state = requests.count(PRODUCT_ACTOR.id);
  context.rateLimit = { policy: requests.policy("product"), state: rateLimitField("product", state) };
  if (state.isReached) throw tooManyRequests(state.secondsLeft);
  return PRODUCT_ACTOR;
}

import { feature } from "#kit";
import type { CallerKind } from "#kit/inside";
import { productKeyConfig } from "./config.ts";
import { LIMITS } from "./limits.ts";
import { mails } from "./mails.ts";
import { isProductKey, verifyProductKey } from "./verify-key.ts";

const byProductKey: CallerKind = {
  recognizes: (token, { route, context }) => route.access === "product" || isProductKey(token, context.app),
  verify: (token, { context }) => verifyProductKey(token, context),
};

declare module "#src/core/definitions/features" {
  interface Features {
    productApi: { mails: typeof mails };
  }
}

/** The part of the API that a product whose code runs elsewhere uses. Its routes exist only with a manifest (declared.ts). */
export const productApi = feature({
  mails,
  callers: { product: byProductKey },
  config: productKeyConfig,
  abuseLimits: LIMITS,
});

import { feature } from "#kit";
import { FEED_LIMITS } from "./feed-limits.ts";
import { mails } from "./mails.ts";

declare module "../../core/definitions/features.ts" {
  interface Features {
    productApi: { mails: typeof mails };
  }
}

/** The part of the API that a product whose code runs elsewhere uses. Its routes exist only with a manifest (declared.ts). */
export const productApi = feature({ mails, abuseLimits: FEED_LIMITS });

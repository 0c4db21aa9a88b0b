import { feature } from "#kit";
import { mails } from "./mails.ts";

declare module "../../core/definitions/features.ts" {
  interface Features {
    productApi: { mails: typeof mails };
  }
}

/** The part of the API that a product whose code runs elsewhere uses. Its routes exist only with a manifest (declared.ts). */
export const productApi = feature({ mails });

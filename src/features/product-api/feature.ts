import { feature } from "#kit";

/** The part of the API that a product whose code runs elsewhere uses. Its routes exist only with a manifest. */
export const productApi = feature({});

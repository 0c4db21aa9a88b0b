import { atOnce, MINUTE, often } from "#kit";

export const LIMITS = {
  productRequests: often("36.6", "requests with the key of the product", "instance", 6_000, MINUTE, {
    variable: "PRODUCT_RATE_LIMIT",
  }),
  feedWaits: atOnce("36.24", "calls of the product that wait for entries of the feed", {
    instance: { max: 4 },
  }),
  // Reads of the feed are fast. They do not count as the product's other reads, since a call may wait between two of them.
  feedReads: atOnce("36.24", "reads of the product's feed", { instance: { max: 2, waiting: Infinity } }),
};

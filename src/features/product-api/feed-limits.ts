import { atOnce } from "#kit";

export const FEED_LIMITS = {
  feedWaits: atOnce("36.24", "calls of the product that wait for entries of the feed", {
    instance: { max: 4 },
  }),
  // Reads of the feed are fast. They do not count as the product's other reads, since a call may wait between two of them.
  feedReads: atOnce("36.24", "reads of the product's feed", { instance: { max: 2, waiting: Infinity } }),
};

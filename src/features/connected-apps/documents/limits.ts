import { atOnce, HOUR, often } from "#kit";

export const LIMITS = {
  documents: often("46.43", "fetched documents of apps", "user", 30, HOUR),
  // A document takes up to five seconds, so one account gets a fifth.
  documentsAtOnce: atOnce("46.43", "documents of apps that are fetched", {
    account: { max: 2, waiting: 10 },
    instance: { max: 10, waiting: 100 },
  }),
};

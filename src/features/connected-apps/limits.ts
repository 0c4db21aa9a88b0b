import { atOnce, HOUR, MINUTE, often } from "#kit";

export const LIMITS = {
  appRequests: often("46.20", "requests of a connected app", "grant", 300, MINUTE, {
    variable: "OAUTH_RATE_LIMIT",
  }),
  unknownAppTokens: often(
    "46.20",
    "tokens, codes and clients of apps that do not exist",
    "address",
    60,
    MINUTE,
  ),
  documents: often("46.43", "fetched documents of apps", "user", 30, HOUR),
  // A document takes up to five seconds, so one account gets a fifth.
  documentsAtOnce: atOnce("46.43", "documents of apps that are fetched", {
    account: { max: 2, waiting: 10 },
    instance: { max: 10, waiting: 100 },
  }),
};

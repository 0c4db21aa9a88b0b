import { atOnce, HOUR, MINUTE, often } from "#kit";

export const LIMITS = {
  keyRequests: often("28.13", "requests with an API key", "API key", 600, MINUTE, {
    variable: "API_KEY_RATE_LIMIT",
  }),
  keyRequestsOfOrganization: often("28.13", "requests with API keys", "organization", 3_000, MINUTE, {
    variable: "API_KEY_RATE_LIMIT_ORGANIZATION",
  }),
  unknownKeys: often("28.14", "API keys that do not exist", "address", 20, MINUTE),
  mails: often("23.8", "mails about API keys", "service account", 1, HOUR, { store: "database" }),
  keyLookUps: atOnce("28.14", "look-ups of API keys that the instance has not found before", {
    address: { max: 1, waiting: Infinity },
  }),
};

import { atOnce, HOUR, MINUTE, often } from "#kit";

export const LIMITS = {
  tests: often("30.12", "test deliveries", "organization", 10, MINUTE),
  mails: often("23.8", "mails about a webhook endpoint", "endpoint", 1, HOUR, { store: "database" }),
  // An endpoint that hangs uses a permit for 15 seconds. So endpoints that fail or are slow share two fifths; with those
  // that never succeeded, four fifths. The shares grow with the variable.
  requests: atOnce(
    "30.11",
    "requests to webhook endpoints",
    { organization: { max: 10 }, impaired: { max: 20 }, unproven: { max: 40 }, instance: { max: 50 } },
    { variable: "WEBHOOK_CONCURRENCY" },
  ),
  requestsToAddress: atOnce("30.11", "requests to webhook endpoints at one IP address", {
    address: { max: 5 },
  }),
};

import { atOnce, HOUR, MINUTE, often } from "#kit";

export const LIMITS = {
  providerCalls: atOnce("41.4", "calls to identity providers of organizations", {
    connection: { max: 10 },
    instance: { max: 50 },
  }),
  setupRequests: often("45.3", "requests with a setup link", "setup link", 60, MINUTE),
  failedSignIns: often("44.7", "recorded failures of signing in by a connection", "connection", 100, HOUR),
  births: often("44.7", "new accounts by a connection", "connection", 600, HOUR),
  tests: often("44.8", "tests of connections", "organization", 20, HOUR, { store: "database" }),
};

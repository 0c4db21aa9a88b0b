import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { startApi, startOwnPostgres, timed } from "../support/outage.ts";
import { outcome } from "../support/outcomes.ts";
import { race } from "../support/race.ts";

/* Without a well-formed refresh token no query is run, so such requests delay no others. */
const postgres = await startOwnPostgres();

const good = randomBytes(32).toString("base64url");
const malformed = [
  null,
  "",
  "x",
  good.slice(1),
  `${good}A`,
  `${good}=`,
  `"${good}"`,
  good.replace(/^./, "+"),
  good.replace(/^./, "%41"),
  "A".repeat(4_000),
];

test("a malformed refresh token is 401 without a database query, even while the database is paused", async () => {
  const api = await startApi(await postgres.database(), {}, { maxWaitMs: 3_000 });
  await api.untilReady();
  const person = await api.person();
  const send = (path: string, token: string | null, body?: unknown) => {
    const caller = person.at(api.url);
    caller.cookie = null;
    const headers = token === null ? {} : { cookie: `refresh_token=${token}` };
    return timed(caller.post(path, body, { headers }));
  };
  const live = () => timed(fetch(`${api.url}/api/health/live`));
  const organizationId = crypto.randomUUID();
  try {
    postgres.freeze();
    for (const token of malformed) {
      const refused = await send("/api/auth/refresh", token);
      expect([token, outcome(refused)]).toEqual([token, "401 INVALID_REFRESH_TOKEN"]);
      expect(refused.cookie).toBe("");
      const other = await send("/api/auth/organization", token, { organizationId });
      expect([token, outcome(other)]).toEqual([token, "401 INVALID_REFRESH_TOKEN"]);
    }
    // Many such requests use no database connection, so no other request waits.
    const responses = await race(300, () => send("/api/auth/refresh", null));
    expect(new Set(responses.map(outcome))).toEqual(new Set(["401 INVALID_REFRESH_TOKEN"]));
    expect((await live()).status).toBe(200);
    // A well-formed token is looked up, which shows that the database is paused.
    const asked = [send("/api/auth/refresh", good), person.at(api.url).post("/api/auth/logout")];
    for (const response of await Promise.all(asked))
      expect(outcome(response)).toBe("503 SERVICE_UNAVAILABLE");
  } finally {
    postgres.thaw();
  }
});

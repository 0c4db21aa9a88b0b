import { expect, test } from "bun:test";
import { SQL } from "bun";
import { appSecret } from "../../../src/core/access/token-forms.ts";
import {
  AGENT,
  codeFields,
  connect,
  insertCode,
  refreshFields,
  refusal,
  sendForm,
  startTokenEndpoint,
  token,
} from "../../support/app-codes.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* The form of requests at the token endpoint and of its answers (rules 46.10, 46.11, 46.20). */

const { t, org, instance, newAddress, refused } = await startTokenEndpoint();

const GOOD = { grant_type: "refresh_token", client_id: AGENT, refresh_token: "x" };

test.each<[string, Parameters<typeof token>[1], string]>([
  ["an empty grant type", { client_id: AGENT, grant_type: "" }, "400 invalid_request"],
  [
    "a name of every object as grant type",
    { client_id: AGENT, grant_type: "constructor" },
    "400 unsupported_grant_type",
  ],
  ["a repeated parameter", [...Object.entries(GOOD), ["client_id", AGENT]], "400 invalid_request"],
  [
    "a repeated secret",
    [...Object.entries(GOOD), ["client_secret", "a"], ["client_secret", "a"]],
    "400 invalid_request",
  ],
  ["malformed UTF-8", "grant_type=refresh_token&client_id=%FF", "400 invalid_request"],
  ["a lone surrogate", "grant_type=refresh_token&client_id=%ED%A0%80", "400 invalid_request"],
  ["NUL", "grant_type=refresh_token&client_id=%00", "400 invalid_request"],
  ["a broken escape", "grant_type=refresh_token&client_id=%A", "400 invalid_request"],
  ["thousands of parameters", "&a".repeat(8_000), "400 invalid_request"],
  ["20 KB", `grant_type=${"x".repeat(20_000)}`, "413 invalid_request"],
  ["1 MB", "x=y&".repeat(250_000), "413 invalid_request"],
  ["a client id of no form", { ...GOOD, client_id: "nobody" }, "401 invalid_client"],
  [
    "an address that is not normalized",
    { ...GOOD, client_id: "https://agent.example.com/a/../b" },
    "401 invalid_client",
  ],
  ["a refresh token of no form", GOOD, "400 invalid_grant"],
  ["a text with NUL in no parameter", "a%00=b", "400 invalid_request"],
])("a request with %s is refused in the shape of RFC 6749 (46.11)", async (_, fields, expected) => {
  const response = await token(t, fields, { headers: newAddress() });
  expect(refusal(response)).toBe(expected);
  const { headers } = response;
  expect([
    headers.get("cache-control"),
    headers.get("content-type"),
    headers.get("www-authenticate"),
  ]).toEqual(["no-store", "application/json", null]);
});

test("empty parameters are absent, unknown ones are ignored, tokens in the query as well (46.11)", async () => {
  const code = await insertCode(t, org);
  const fields = `${new URLSearchParams(codeFields(code))}&resource=&scope=&color=red&color=blue&code=`;
  const answer = await sendForm(t, "/api/oauth/token?grant_type=password&color=red", fields);
  expectStatus(answer, 200);
});

test("a body that is no form is 415, also an encoded one (46.11)", async () => {
  const send = async (headers: Record<string, string>) =>
    refusal(await sendForm(t, "/api/oauth/token", JSON.stringify(GOOD), { headers }));
  expect(await send({ "content-type": "application/json" })).toBe("415 invalid_request");
  expect(await send({ "content-type": "multipart/form-data; boundary=x" })).toBe("415 invalid_request");
  expect(await send({ "content-encoding": "gzip" })).toBe("415 invalid_request");
  expect(await send({ "content-type": "application/x-www-form-urlencoded; charset=latin1" })).toBe(
    "415 invalid_request",
  );
  expect(await send({ "content-type": "Application/X-WWW-Form-Urlencoded;charset=UTF-8" })).toBe(
    "400 invalid_request",
  );
});

test("after 60 refusals for what does not exist, an address gets 429; what exists never counts (46.20)", async () => {
  const headers = newAddress();
  const code = await insertCode(t, org);
  const { tokens } = await connect(t, org);
  await t.sql(
    "UPDATE oauth_grants SET ended_at = now(), end_reason = 'person' WHERE id = (SELECT grant_id FROM oauth_tokens WHERE token_hash = encode(sha256($1::text::bytea), 'hex'))",
    [tokens.refresh_token],
  );
  for (let count = 0; count < 70; count += 1)
    expect(await refused(refreshFields(tokens.refresh_token), headers)).toBe("400 invalid_grant");
  for (let count = 0; count < 20; count += 1) {
    expect(await refused(refreshFields(appSecret("r")), headers)).toBe("400 invalid_grant");
    expect(await refused(codeFields(code, { code: appSecret("c") }), headers)).toBe("400 invalid_grant");
    expect(await refused({ ...GOOD, client_id: crypto.randomUUID() }, headers)).toBe("401 invalid_client");
  }
  const response = await token(t, refreshFields(appSecret("r")), { headers });
  expect(refusal(response)).toBe("429 temporarily_unavailable");
  expect(Number(response.headers.get("retry-after"))).toBeWithin(1, 61);
  expect(
    refusal(await sendForm(t, "/api/oauth/revoke", { client_id: AGENT, token: appSecret("a") }, { headers })),
  ).toBe("429 temporarily_unavailable");
  // Everybody who uses the same hosted agent has this address.
  expectStatus(await token(t, codeFields(code), { headers }), 200);
});

test("a database that does not answer is temporarily_unavailable, a fault is server_error; nothing is spent (46.11)", async () => {
  const impatient = await startService(
    { OAUTH: "on", OAUTH_APPS: "any" },
    { databaseUrl: t.databaseUrl, maxWaitMs: 500 },
  );
  const code = await insertCode(t, org);
  const answer = async () => {
    const response = await token(impatient, codeFields(code));
    return [refusal(response), response.headers.get("retry-after"), response.headers.get("cache-control")];
  };
  const database = new SQL({ url: t.databaseUrl, max: 1 });
  await database.begin(async (tx) => {
    await tx`LOCK TABLE oauth_codes`;
    expect(await answer()).toEqual(["503 temporarily_unavailable", "1", "no-store"]);
  });
  await database.close();
  await t.sql("ALTER TABLE oauth_codes RENAME TO elsewhere");
  expect(await answer()).toEqual(["500 server_error", null, "no-store"]);
  await t.sql("ALTER TABLE elsewhere RENAME TO oauth_codes");
  expectStatus(await token(t, codeFields(code)), 200);
});

test("pages of any origin may call it, without credentials (46.10)", async () => {
  const configured = await instance({ CORS_ORIGIN: "https://web.test" });
  for (const service of [t, configured])
    for (const path of ["/api/oauth/token", "/api/oauth/revoke"]) {
      const origin = { origin: "https://web.test" };
      const preflight = await fetch(service.url + path, {
        method: "OPTIONS",
        headers: { ...origin, "access-control-request-method": "POST" },
      });
      const { headers } = preflight;
      expect([
        preflight.status,
        headers.get("access-control-allow-origin"),
        headers.get("access-control-allow-methods"),
      ]).toEqual([204, "*", "POST"]);
      expect(headers.get("access-control-allow-headers")).toBe("Authorization, Content-Type");
      expect(headers.get("access-control-allow-credentials")).toBeNull();
      const answer = await sendForm(service, path, "", { headers: origin });
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    }
});

test("no session and no cookie matter (46.10)", async () => {
  const { cookie } = org.admin;
  const code = await insertCode(t, org);
  const { headers } = expectStatus(
    await token(t, codeFields(code), {
      headers: { cookie: `refresh_token=${cookie}`, "idempotency-key": "one" },
    }),
    200,
  );
  expect(headers.get("set-cookie")).toBeNull();
});

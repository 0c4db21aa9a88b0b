import { expect, test } from "bun:test";
import { claimsOf } from "../../support/caller.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";
import { inAnotherBrowser, liveRows, sameBrowser, tokenRows } from "../../support/sessions.ts";

const t = await sharedService();

test("register, verify, login, refresh and logout work in sequence", async () => {
  const person = await t.unverifiedPerson();
  expect((await person.login()).body.code).toBe("EMAIL_NOT_VERIFIED");

  const { url, token } = await t.linkTo(person.email, "/verify-email");
  expect(url).toStartWith("http://app.test/verify-email?token=");
  expectStatus(await person.post("/api/auth/verify-email", { token }), 204);
  expect((await person.post("/api/auth/verify-email", { token })).body.code).toBe("INVALID_OR_EXPIRED_TOKEN");

  const login = expectStatus(await person.login(), 200);
  expect(login.headers.get("set-cookie")).toMatch(
    /^refresh_token=[\w-]{43}; Path=\/api\/auth; Max-Age=604800; HttpOnly; SameSite=Lax$/,
  );
  const first = claimsOf(login.body.accessToken);
  expect(first).toMatchObject({
    iss: "http://app.test",
    aud: "api",
    isPlatformAdmin: false,
    organization: null,
    roles: [],
    permissions: [],
    unitGrants: [],
  });
  expect(first.exp - first.iat).toBe(900);
  expect((await person.get("/api/profile")).body).toMatchObject({
    email: person.email,
    firstName: "Ada",
    language: "en",
  });

  const refreshed = expectStatus(await person.refresh(), 200);
  expect(claimsOf(refreshed.body.accessToken).sid).toBe(first.sid);
  expectStatus(await person.post("/api/auth/logout"), 204);
  expect((await person.refresh()).body.code).toBe("INVALID_REFRESH_TOKEN");
});

test("no response distinguishes a wrong password from an unknown email", async () => {
  const person = await t.person();
  const stranger = t.anonymous();
  const wrong = await stranger.post("/api/auth/login", {
    email: person.email,
    password: "the password alone does not get past the second factor",
  });
  const unknown = await stranger.post("/api/auth/login", {
    email: uniqueEmail(),
    password: "the password alone does not get past the second factor",
  });
  expect(wrong.status).toBe(401);
  expect({ ...wrong.body, requestId: "" }).toEqual({ ...unknown.body, requestId: "" });
  expect(wrong.cookie).toBeNull();
});

test("a sign-in to an unverified account with a wrong password is the same 401 as for any account", async () => {
  const person = await t.unverifiedPerson();
  expect((await person.login("the password alone does not get past the second factor")).body.code).toBe(
    "INVALID_CREDENTIALS",
  );
  expect((await person.login()).status).toBe(403);
  expect(await tokenRows(t, person.email)).toEqual([]);
});

test("a refresh stores a new refresh token, sends it as the cookie, revokes the old one, and keeps the session id", async () => {
  const person = await t.person();
  const [before] = await tokenRows(t, person.email);
  const oldCookie = person.cookie;
  const response = expectStatus(await person.refresh(), 200);

  expect(response.headers.get("set-cookie")).toMatch(
    /^refresh_token=[\w-]{43}; Path=\/api\/auth; Max-Age=604800; HttpOnly; SameSite=Lax$/,
  );
  expect(response.cookie).not.toBe(oldCookie);
  expect(Object.keys(response.body)).toEqual(["accessToken"]);
  const [old, successor] = await tokenRows(t, person.email);
  expect(old).toMatchObject({ id: before?.id, replaced_by_id: successor?.id });
  expect(old?.revoked_at).not.toBeNull();
  expect(successor).toMatchObject({ session_id: before?.session_id, revoked_at: null, replaced_by_id: null });
  expect(claimsOf(response.body.accessToken)).toMatchObject({ sid: before?.session_id });
});

test("every refresh extends the session to seven days from then", async () => {
  const person = await t.person();
  await t.age("refresh_tokens", {}, { days: 6 });
  expectStatus(await person.refresh(), 200);
  await t.age("refresh_tokens", {}, { days: 6 });
  const response = expectStatus(await person.refresh(), 200);
  expect(response.headers.get("set-cookie")).toContain("Max-Age=604800;");
  const [row] = await liveRows(t, person.email);
  const days = ((row?.expires_at.getTime() ?? 0) - Date.now()) / 86_400_000;
  expect(days).toBeCloseTo(7, 1);
});

test("only the digest of a refresh token is stored", async () => {
  const person = await t.person();
  const rows = await t.sql("SELECT * FROM refresh_tokens r WHERE r::text LIKE '%' || $1 || '%'", [
    person.cookie,
  ]);
  expect(rows).toEqual([]);
  const digest = new Bun.CryptoHasher("sha256").update(person.cookie ?? "").digest("hex");
  expect(await t.sql("SELECT 1 FROM refresh_tokens WHERE token_hash = $1", [digest])).toHaveLength(1);
});

test("a refresh with an expired cookie is 401, clears the cookie and ends no other session", async () => {
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  const [row] = await tokenRows(t, person.email);
  await t.age("refresh_tokens", { id: row?.id }, { days: 8 });
  const response = await sameBrowser(person).refresh();
  expect([response.status, response.body.code, response.cookie]).toEqual([401, "INVALID_REFRESH_TOKEN", ""]);
  expectStatus(await other.refresh(), 200);
});

test("a refresh with a missing, empty or unknown cookie is 401 and clears it", async () => {
  for (const cookie of [null, "", "x", "0".repeat(43), "%00", "é"]) {
    const response = await t
      .anonymous()
      .refresh(cookie === null ? {} : { headers: { cookie: `refresh_token=${cookie}` } });
    expect([response.status, response.body.code, response.cookie]).toEqual([
      401,
      "INVALID_REFRESH_TOKEN",
      "",
    ]);
    expect(response.headers.get("set-cookie")).toBe(
      "refresh_token=; Path=/api/auth; Max-Age=0; HttpOnly; SameSite=Lax",
    );
  }
});

test("the access token of a new platform administrator has `isPlatformAdmin` after the next refresh", async () => {
  const person = await t.person();
  await t.sql("UPDATE users SET is_platform_admin = true WHERE email = $1", [person.email]);
  const response = expectStatus(await person.refresh(), 200);
  expect(claimsOf(response.body.accessToken).isPlatformAdmin).toBe(true);
});

test("a deleted account's cookie and password are rejected", async () => {
  const person = await t.person();
  await t.sql("UPDATE users SET is_deleted = true, deleted_at = now() WHERE email = $1", [person.email]);
  expect((await sameBrowser(person).refresh()).body.code).toBe("INVALID_REFRESH_TOKEN");
  expect((await person.login()).body.code).toBe("INVALID_CREDENTIALS");
});

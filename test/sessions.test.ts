import { expect, test } from "bun:test";
import { claimsOf } from "./support/caller.ts";
import { expectStatus, startService, uniqueEmail } from "./support/service.ts";

const t = await startService();

test("register, verify, login, refresh and logout lead from nothing to a session and back", async () => {
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

test("no answer ever tells a wrong password from an unknown email", async () => {
  const person = await t.person();
  const stranger = t.anonymous();
  const wrong = await stranger.post("/api/auth/login", { email: person.email, password: "not the password" });
  const unknown = await stranger.post("/api/auth/login", {
    email: uniqueEmail(),
    password: "not the password",
  });
  expect(wrong.status).toBe(401);
  expect({ ...wrong.body, requestId: "" }).toEqual({ ...unknown.body, requestId: "" });
});

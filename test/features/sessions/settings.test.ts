import { expect, test } from "bun:test";
import { claimsOf } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { inAnotherBrowser, liveRows } from "../../support/sessions.ts";

const t = await startService({
  NODE_ENV: "production",
  APP_URL: "https://app.test",
  STORAGE_DIR: "/tmp",
  BILLING_PLANS_FILE: "none",
  REFRESH_TOKEN_TTL_DAYS: "2",
  JWT_ACCESS_TTL: "2m",
  MAX_ACTIVE_SESSIONS_PER_USER: "2",
});

test("in production the refresh cookie is Secure, also when it is cleared", async () => {
  const person = await t.person();
  const ends = "; Path=/api/auth; Max-Age=172800; HttpOnly; SameSite=Lax; Secure";
  for (const response of [await person.login(), await person.refresh()])
    expect(response.headers.get("set-cookie")).toEndWith(ends);
  const cleared = "refresh_token=; Path=/api/auth; Max-Age=0; HttpOnly; SameSite=Lax; Secure";
  const logout = await person.post("/api/auth/logout");
  expect(logout.headers.get("set-cookie")).toBe(cleared);
  expect((await person.refresh()).headers.get("set-cookie")).toBe(cleared);
});

test("the lifetimes of access and refresh tokens come from the configuration", async () => {
  const person = await t.person();
  const [row] = await liveRows(t, person.email);
  expect(((row?.expires_at.getTime() ?? 0) - Date.now()) / 86_400_000).toBeCloseTo(2, 1);
  const { iat, exp } = claimsOf(person.accessToken ?? "");
  expect(exp - iat).toBe(120);
});

test("the session limit comes from the configuration", async () => {
  const first = await t.person();
  const second = await inAnotherBrowser(first);
  const third = await inAnotherBrowser(first);
  expect((await first.refresh()).status).toBe(401);
  for (const caller of [second, third]) expectStatus(await caller.refresh(), 200);
});

test("a switch of the organization enforces a lowered session limit and keeps the switching session", async () => {
  const [one, two] = [await createOrganization(t, "One"), await createOrganization(t, "Two")];
  const roomy = await t.beside({ MAX_ACTIVE_SESSIONS_PER_USER: "5" });
  const person = await one.member();
  await two.add(person, { role: "UNIT_ADMIN" });
  const others = [];
  for (let session = 0; session < 4; session += 1)
    others.push((await inAnotherBrowser(person, roomy.url)).at(t.url));
  expect(await liveRows(t, person.email)).toHaveLength(5);

  expectStatus(await person.post("/api/auth/organization", { organizationId: two.id }), 200);
  expect(await liveRows(t, person.email)).toHaveLength(2);
  expectStatus(await person.refresh(), 200);
  const statuses = [];
  for (const other of others) statuses.push((await other.refresh()).status);
  expect(statuses).toEqual([401, 401, 401, 200]);
});

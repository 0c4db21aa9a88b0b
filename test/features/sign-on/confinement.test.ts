import { expect, test } from "bun:test";
import { tokenHash } from "../../../src/platform/crypto.ts";
import type { Caller } from "../../support/caller.ts";
import { claims } from "../../support/claims.ts";
import { until } from "../../support/cluster.ts";
import { report } from "../../support/helpdesk.ts";
import { invited } from "../../support/invitations.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { exceptionsOfProduct } from "../../support/product-cases.ts";
import { definitions } from "../../support/routes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { inAnotherBrowser } from "../../support/sessions.ts";
import { confine, insertConnection } from "../../support/sign-on.ts";
import { Stream } from "../../support/stream.ts";

const t = await sharedService();

/** A person whose session is confined to the first of two organizations. */
async function confinedMember() {
  const [acme, other] = [await createOrganization(t), await createOrganization(t)];
  const person = await acme.member();
  await other.add(person, { role: "MEMBER" });
  await confine(t, person, await insertConnection(t, acme));
  expectStatus(await person.refresh(), 200);
  expect(claims(person)).toMatchObject({ confined: true, organization: { id: acme.id } });
  return { acme, other, person };
}

/** Operations for a signed-in user that a confined session may call; in `updateProfile` only the language. */
const ALLOWED = [
  ...["logout", "switchOrganization", "listMyOrganizations", "listPermissions"],
  ...["getProfile", "updateProfile", "getTwoFactor", "listOwnSessions", "endOwnSession", "listIdentities"],
  ...["reauthenticate", "beginReauthenticationPasskey", "reauthenticateByProvider"],
  "reauthenticateByConnection",
  "listJoinableOrganizations",
  ...["listOwnConnectedApps", "disconnectOwnApp", "disconnectOwnApps"],
  ...["listNotifications", "countUnreadNotifications", "streamNotifications", "readNotification"],
  ...["readAllNotifications", "dismissNotification", "sendTestNotification"],
  ...["createTicket", "listOwnTickets", "getOwnTicket", "listOwnTicketMessages", "replyToOwnTicket"],
  ...["closeOwnTicket", "downloadAttachment"],
  ...exceptionsOfProduct("worksConfined"),
];
const ofAccount = definitions.filter(({ access }) => access === "signed-in");

test("a confined session calls no route of the account but the named ones: 403 before the body is validated", async () => {
  const { person } = await confinedMember();
  const refused = ofAccount.filter(({ operationId }) => !ALLOWED.includes(operationId));
  expect(refused.length).toBeGreaterThan(12);
  for (const { method, path, operationId } of refused) {
    const url = path.replaceAll(/\{\w+\}/g, "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e");
    const response = await person.send(
      method.toUpperCase(),
      url,
      method === "get" ? undefined : { odd: true },
    );
    expect([operationId, response.status, response.body.code, response.body.details]).toEqual([
      operationId,
      403,
      "REAUTHENTICATION_REQUIRED",
      { methods: ["password"], maxAgeSeconds: null },
    ]);
  }
});

test("a confined session changes the language of the account and no name", async () => {
  const { person } = await confinedMember();
  expectStatus(await person.patch("/api/profile", { language: "el" }), 200);
  const refused = await person.patch("/api/profile", { language: "en", firstName: "Eve" });
  expect(refused.body.code).toBe("REAUTHENTICATION_REQUIRED");
  expect((await person.get("/api/profile")).body).toMatchObject({ language: "el", firstName: "Ada" });
});

test("after a proof of the account's own, the token from before works everywhere", async () => {
  const { person } = await confinedMember();
  expect((await person.get("/api/profile/passkeys")).status).toBe(403);
  expectStatus(await person.post("/api/profile/reauthenticate", { password: person.account.password }), 204);
  expectStatus(await person.get("/api/profile/passkeys"), 200);
  expectStatus(await person.patch("/api/profile", { firstName: "Ada" }), 200);
});

const CHANGED = { added: [], removed: [] };
const insertNotification = async (person: Caller, organizationId: string | null) => {
  const [row] = await t.sql(
    `WITH written AS (INSERT INTO notifications (user_id, type, data) VALUES ($1, 'ROLES_CHANGED', $2) RETURNING id)
     SELECT id, pg_notify('notifications', $1::text || ' ' || id) FROM written`,
    [idOf(person), { ...CHANGED, ...(organizationId !== null && { organizationId }) }],
  );
  return row?.id as string;
};

test("a confined session sees, counts, streams and changes only notifications about its organization", async () => {
  const { acme, other, person } = await confinedMember();
  const before = (await person.get("/api/notifications/unread-count")).body.count;
  expect(before).toBe(0);
  const stream = await Stream.open(person);
  const [mine, theirs] = [
    await insertNotification(person, acme.id),
    await insertNotification(person, other.id),
  ];
  await insertNotification(person, null);
  await stream.untilCount(1);
  await until(() => (stream.dataOf("notification").length > 0 ? true : null));
  expect(stream.dataOf("notification")).toEqual([{ id: mine }]);
  stream.close();
  const page = (await person.get("/api/notifications")).body;
  expect(page).toMatchObject({ total: 1, data: [{ id: mine }] });
  expect((await person.get("/api/notifications/unread-count")).body).toEqual({ count: 1 });
  expectStatus(await person.post(`/api/notifications/${theirs}/read`), 404);
  expectStatus(await person.delete(`/api/notifications/${theirs}`), 404);
  expectStatus(await person.post("/api/notifications/read-all"), 204);
  const unread = await t.sql("SELECT id FROM notifications WHERE user_id = $1 AND read_at IS NULL", [
    idOf(person),
  ]);
  expect(unread.map(({ id }) => id)).toContain(theirs);
  expect(unread.map(({ id }) => id)).not.toContain(mine);
});

test("a confined session sees only its tickets in its organization", async () => {
  const { acme, other, person } = await confinedMember();
  const elsewhere = await inAnotherBrowser(person);
  expectStatus(await elsewhere.post("/api/auth/organization", { organizationId: other.id }), 200);
  const theirs = await report(elsewhere);
  const mine = await report(person);
  const list = (await person.get("/api/support/tickets")).body;
  expect(list).toMatchObject({ total: 1, data: [{ id: mine.id }] });
  expectStatus(await person.get(`/api/support/tickets/${mine.id}`), 200);
  for (const path of ["", "/messages"])
    expectStatus(await person.get(`/api/support/tickets/${theirs.id}${path}`), 404);
  expectStatus(await person.post(`/api/support/tickets/${theirs.id}/close`), 404);
  expect(acme.id).not.toBe(other.id);
});

test("a confined session sees and ends only itself; other sessions see that it is confined", async () => {
  const { person } = await confinedMember();
  const elsewhere = await inAnotherBrowser(person);
  expect((await person.get("/api/profile/sessions")).body).toMatchObject([{ current: true, confined: true }]);
  const all = (await elsewhere.get("/api/profile/sessions")).body;
  expect(all.map(({ current, confined }: Record<string, boolean>) => [current, confined]).sort()).toEqual([
    [false, true],
    [true, false],
  ]);
  const refused = await person.delete(`/api/profile/sessions/${claims(elsewhere).sid}`);
  expect(refused.body.code).toBe("REAUTHENTICATION_REQUIRED");
  expectStatus(await person.delete(`/api/profile/sessions/${claims(person).sid}`), 204);
});

test("identities of connections are listed with their organization; a confined session sees those of its organization alone", async () => {
  const { acme, other, person } = await confinedMember();
  const theirs = await insertConnection(t, other);
  await t.sql(
    "INSERT INTO sso_identities (connection_id, user_id, subject, email) VALUES ($1, $2, 'x', 'x@example.com')",
    [theirs, idOf(person)],
  );
  const mine = (await person.get("/api/profile/identities")).body;
  expect(mine).toMatchObject([{ provider: "sso", organization: { id: acme.id } }]);
  const elsewhere = await inAnotherBrowser(person);
  const all = (await elsewhere.get("/api/profile/identities")).body;
  expect(all.map(({ connectionId }: { connectionId: string }) => connectionId)).toContain(theirs);
  expectStatus(await elsewhere.delete("/api/profile/identities/sso"), 404);
});

test("a confined session accepts no invitation of another organization", async () => {
  const { person } = await confinedMember();
  const third = await createOrganization(t);
  const { email } = person;
  const { token } = await invited(t, third.admin, { email });
  const refused = await person.post("/api/auth/accept-invitation", { token });
  expect(refused.body.code).toBe("REAUTHENTICATION_REQUIRED");
  expectStatus(await person.post("/api/profile/reauthenticate", { password: person.account.password }), 204);
  expectStatus(await person.post("/api/auth/accept-invitation", { token }), 204);
});

test("wrong passwords in a confined session count as failed sign-ins of the address, others do not", async () => {
  const { acme, person } = await confinedMember();
  const { email, password } = person.account;
  const login = (given: string) => t.anonymous().post("/api/auth/login", { email, password: given });
  for (let count = 0; count < 9; count += 1)
    expectStatus(await person.post("/api/profile/reauthenticate", { password: "not the password" }), 400);
  for (let count = 0; count < 10; count += 1) expectStatus(await login("not the password"), 401);
  expectStatus(await person.post("/api/profile/reauthenticate", { password: "not the password" }), 400);
  expectStatus(await login(password), 429);

  const other = await acme.member();
  for (let count = 0; count < 10; count += 1)
    expectStatus(await other.post("/api/profile/reauthenticate", { password: "not the password" }), 400);
  const failures = await t.sql("SELECT FROM sign_in_failures WHERE email_digest = $1", [
    tokenHash(other.email),
  ]);
  expect(failures).toEqual([]);
});

import { expect, test } from "bun:test";
import { connectApp, endOfGrant, type Grant, works } from "../../support/apps.ts";
import type { Caller } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { eventsAfter } from "../../support/outgoing-events.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";
import { inAnotherBrowser, resetToken, sameBrowser } from "../../support/sessions.ts";

/* What ends connected apps, and what does not (rules 46.54). Grants are inserted. */

const t = await sharedService({ OAUTH_APPS: "any" });
const root = await t.platformAdmin();
const EMAIL = "/api/profile/email";

const connect = (org: Organization, person: Caller, unitId: string | null = null) =>
  connectApp(t, org, person, { unitId });

/** A member with an app in each of two organizations. */
async function connected() {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const person = await org.member();
  await other.add(person, { role: "MEMBER" });
  const grants = [await connect(org, person), await connect(other, person)] as const;
  return { org, other, person, grants };
}

const alive = (grants: readonly Grant[]) => Promise.all(grants.map((grant) => works(t, grant)));
const reasons = (grants: readonly Grant[]) => Promise.all(grants.map((grant) => endOfGrant(t, grant)));
const metadataOf = async (action: string, where: string, value: string) =>
  (
    await t.sql(`SELECT metadata FROM audit_events WHERE action = $1 AND ${where} = $2 ORDER BY id`, [
      action,
      value,
    ])
  ).map(({ metadata }) => metadata);

/** Requests a change of email; returns the tokens in the mails to both addresses. */
async function changeEmail(person: Caller) {
  const [old, email] = [person.email, uniqueEmail()];
  expectStatus(await person.post(EMAIL, { email }), 202);
  const confirmOld = (await t.linkTo(old, "/confirm-email-change")).token;
  const cancel = (await t.linkTo(old, "/cancel-email-change")).token;
  const confirmNew = (await t.linkTo(email, "/confirm-email-change")).token;
  return { old, email, confirmOld, confirmNew, cancel };
}
async function completeChange(person: Caller) {
  const { old, confirmOld, confirmNew } = await changeEmail(person);
  for (const token of [confirmOld, confirmNew])
    expectStatus(await person.post("/api/auth/confirm-email-change", { token }), 200);
  return (await t.linkTo(old, "/undo-email-change")).token;
}

/** What ends all sessions, or all others, and the connected apps with them. */
const ENDS: Record<string, (person: Caller) => Promise<unknown>> = {
  PASSWORD_RESET: async (person) => {
    const token = await resetToken(t, person.email);
    expectStatus(
      await t.anonymous().post("/api/auth/reset-password", { token, newPassword: "a new blue yonder" }),
      204,
    );
  },
  REFRESH_TOKEN_REUSED: async (person) => {
    const stale = sameBrowser(person);
    expectStatus(await person.refresh(), 200);
    expectStatus(await person.refresh(), 200);
    await t.sql(
      "UPDATE refresh_tokens SET created_at = created_at - interval '1 minute' WHERE user_id = $1",
      [idOf(person)],
    );
    expect(outcome(await stale.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  },
  EMAIL_CHANGE_CANCELED: async (person) => {
    const { cancel } = await changeEmail(person);
    expectStatus(await t.anonymous().post("/api/auth/cancel-email-change", { token: cancel }), 204);
  },
  EMAIL_CHANGE_UNDONE: async (person) => {
    const token = await completeChange(person);
    expectStatus(await t.anonymous().post("/api/auth/undo-email-change", { token }), 204);
  },
  PLATFORM_ADMIN_GRANTED: async (person) => {
    expectStatus(await root.patch(`/api/users/${idOf(person)}`, { isPlatformAdmin: true }), 200);
  },
};

for (const [action, end] of Object.entries(ENDS))
  test(`${action} ends connected apps of all organizations, and its audit event says how many`, async () => {
    const { person, grants } = await connected();
    expect(await alive(grants)).toEqual([true, true]);
    await end(person);
    expect(await alive(grants)).toEqual([false, false]);
    expect(await reasons(grants)).toEqual(["sessions", "sessions"]);
    const metadata = await until(async () => {
      const found = await metadataOf(action, "target_id", idOf(person));
      return found.length > 0 ? found : null;
    });
    expect(metadata).toMatchObject([{ endedApps: 2 }]);
  });

test("taking platform administration away revives no connected app (AP14)", async () => {
  const { person, grants } = await connected();
  for (const isPlatformAdmin of [true, false])
    expectStatus(await root.patch(`/api/users/${idOf(person)}`, { isPlatformAdmin }), 200);
  expect(await alive(grants)).toEqual([false, false]);
});

test("ending all other sessions ends connected apps, also if there is no other session", async () => {
  for (const others of [2, 0]) {
    const { person, grants } = await connected();
    for (let count = 0; count < others; count += 1) await inAnotherBrowser(person);
    expectStatus(await person.delete("/api/profile/sessions"), 204);
    expect(await alive(grants)).toEqual([false, false]);
    const events = await t.sql(
      "SELECT target_id, metadata FROM audit_events WHERE action = 'SESSION_REVOKED' AND actor_id = $1 ORDER BY id",
      [idOf(person)],
    );
    expect(events.map(({ target_id }) => target_id !== null)).toEqual(others === 0 ? [false] : [true, true]);
    expect(events.map(({ metadata }) => metadata)).toEqual([{ endedApps: 2 }, ...(others === 0 ? [] : [{}])]);
  }
});

test("a platform administrator who ends all sessions of an account ends its connected apps, and it is told", async () => {
  const { person, grants } = await connected();
  await t.sql("DELETE FROM refresh_tokens WHERE user_id = $1", [idOf(person)]);
  expectStatus(await root.delete(`/api/users/${idOf(person)}/sessions`), 204);
  expect(await alive(grants)).toEqual([false, false]);
  expect(await metadataOf("SESSION_REVOKED", "metadata->>'userId'", idOf(person))).toEqual([
    { userId: idOf(person), endedApps: 2 },
  ]);
  const subjects = (await t.mailTo(person.email)).map(({ subject }) => subject);
  expect(subjects.filter((subject) => subject.includes("session"))).toHaveLength(1);
});

test("a changed password, a completed change of email, a logout and the end of one session end no connected app; the mails say how many there are", async () => {
  const { person, grants } = await connected();
  const other = await inAnotherBrowser(person);
  expectStatus(await other.post("/api/auth/logout"), 204);
  const { body: sessions } = await (await inAnotherBrowser(person)).get("/api/profile/sessions");
  const [ended] = sessions.filter(({ current }: { current: boolean }) => !current);
  expectStatus(await person.delete(`/api/profile/sessions/${ended.id}`), 204);
  const again = await inAnotherBrowser(person);
  const passwords = { currentPassword: person.account.password, newPassword: "a new blue yonder" };
  expectStatus(await again.post("/api/profile/password", passwords), 204);
  const { email } = person;
  await completeChange(again);
  expect(await alive(grants)).toEqual([true, true]);
  const texts = (await t.mailTo(email)).map(({ text }) => text);
  expect(texts.filter((text) => text.includes("Connected apps (2)"))).toHaveLength(2);
});

test("a removal, and leaving, end the connected apps in that organization; who returns has none of before", async () => {
  for (const action of ["MEMBER_REMOVED", "MEMBER_LEFT"]) {
    const { org, person, grants } = await connected();
    await (action === "MEMBER_LEFT"
      ? person.post("/api/organization/leave")
      : org.admin.delete(`/api/members/${idOf(person)}`));
    expect(await reasons(grants)).toEqual(["membership", null]);
    expect(await metadataOf(action, "target_id", idOf(person))).toMatchObject([{ endedApps: 1 }]);
    await org.add(person, { role: "MEMBER" });
    expect(await alive(grants)).toEqual([false, true]);
  }
});

test("a removal is told to other systems as the end of each connected app, while the member's units are known", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Unit");
  const [person, unitAdmin] = [
    await org.member({ role: "MEMBER", unit }),
    await org.member({ role: "UNIT_ADMIN", unit }),
  ];
  const { grantId } = await connect(org, person);
  expectStatus(await org.admin.delete(`/api/members/${idOf(person)}`), 204);
  for (const reader of [org.admin, unitAdmin]) {
    const { events } = await eventsAfter(t, reader, null, "type=connected_app.ended");
    expect(events).toMatchObject([
      {
        type: "connected_app.ended",
        data: { object: { id: grantId, member: { userId: idOf(person) } } },
      },
    ]);
  }
});

test("the deletion of a unit ends the apps that are limited to it (AP33)", async () => {
  const org = await createOrganization(t);
  const [unit, other] = [await org.unit("Unit"), await org.unit("Other")];
  const grants = [
    await connect(org, org.admin, unit),
    await connect(org, org.admin, other),
    await connect(org, org.admin),
  ];
  expectStatus(await org.admin.delete(`/api/units/${unit}`), 204);
  expect(await alive(grants)).toEqual([false, true, true]);
  expect(await metadataOf("UNIT_DELETED", "target_id", unit)).toMatchObject([{ endedApps: 1 }]);
});

test("the deletion of an account removes its connected apps; the audit log says how many ended", async () => {
  const { person, grants } = await connected();
  const id = idOf(person);
  expectStatus(await person.post("/api/profile/delete", { password: person.account.password }), 204);
  expect(await alive(grants)).toEqual([false, false]);
  expect(await t.sql("SELECT FROM oauth_grants WHERE user_id = $1", [id])).toEqual([]);
  expect(await metadataOf("USER_DELETED", "target_id", id)).toMatchObject([{ endedApps: 2 }]);
});

test("in a suspended organization apps are refused and may be disconnected; active again they work; a deleted one ends them (AP42)", async () => {
  const { org, person, grants } = await connected();
  const [grant, other] = grants;
  const place = `/api/organizations/${org.id}`;
  const admin = sameBrowser(org.admin);
  expectStatus(await root.patch(`${place}/status`, { status: "SUSPENDED" }), 200);
  expect(outcome(await grant.app.get("/api/todos"))).toBe("403 ORGANIZATION_SUSPENDED");
  const third = await connect(org, person);
  const list = "/api/organization/connected-apps";
  expect((await admin.get(list)).body.total).toBe(2);
  expectStatus(await admin.delete(`${list}/${third.grantId}`), 204);
  expectStatus(await root.patch(`${place}/status`, { status: "ACTIVE" }), 200);
  expect(await alive([grant, third, other])).toEqual([true, false, true]);
  expectStatus(await root.delete(place), 204);
  expect(await alive([grant, other])).toEqual([false, true]);
  expect(await metadataOf("ORGANIZATION_DELETED", "target_id", org.id)).toMatchObject([{ endedApps: 1 }]);
});

import { expect, test } from "bun:test";
import { ORGANIZATION_TICKETS, report, setStatus } from "../support/helpdesk.ts";
import { invite } from "../support/invitations.ts";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus, type Service, startService } from "../support/service.ts";
import { tokenRows } from "../support/sessions.ts";
import { challenge, withTwoFactor } from "../support/two-factor.ts";

const t = await startService();

test("rows expired more than 30 days ago are deleted, for all users; the rest stays", async () => {
  const people = [await t.person(), await t.person()];
  for (const person of people) {
    for (let count = 0; count < 3; count += 1) await person.refresh();
    const [old, recent, expired, live] = await tokenRows(t, person.email);
    const expire = (id: string | undefined, ago: string) =>
      t.sql(`UPDATE refresh_tokens SET expires_at = now() - interval '${ago}' WHERE id = $1`, [id]);
    await expire(old?.id, "30 days 1 minute");
    await expire(recent?.id, "29 days 23 hours");
    await expire(expired?.id, "1 second");

    await runCleanUp();
    expect((await tokenRows(t, person.email)).map(({ id }) => id)).toEqual(
      [recent, expired, live].map((row) => row?.id ?? ""),
    );
    expect((await person.refresh()).status).toBe(200);
  }
});

test("an old refresh token is deleted even if it was never revoked", async () => {
  const person = await t.person();
  await t.sql("UPDATE refresh_tokens SET expires_at = now() - interval '31 days'");
  await runCleanUp();
  expect(await tokenRows(t, person.email)).toEqual([]);
});

test("links older than 30 days are deleted; newer ones are kept for the rate limits", async () => {
  const person = await t.unverifiedPerson();
  await t.drain();
  const count = async () =>
    (
      await t.sql(
        "SELECT 1 FROM email_verification_tokens v JOIN users u ON u.id = v.user_id WHERE u.email = $1",
        [person.email],
      )
    ).length;
  await t.age("email_verification_tokens", {}, { days: 29 });
  await runCleanUp();
  expect(await count()).toBe(1);
  await t.age("email_verification_tokens", {}, { days: 2 });
  await runCleanUp();
  expect(await count()).toBe(0);
});

test("expired two-factor challenges and failed attempts older than a day are deleted", async () => {
  const { person } = await withTwoFactor(t);
  await challenge(person);
  await person.post("/api/profile/2fa/disable", { password: "wrong", code: "123456" });
  const rows = async () =>
    (
      await Promise.all(
        ["two_factor_challenges", "failed_attempts"].map((table) => t.sql(`SELECT FROM ${table}`)),
      )
    ).map(({ length }) => length);
  await runCleanUp();
  expect(await rows()).toEqual([1, 1]);
  for (const table of ["two_factor_challenges", "failed_attempts"]) await t.age(table, {}, { minutes: 6 });
  await runCleanUp();
  expect(await rows()).toEqual([0, 1]);
  await t.age("failed_attempts", {}, { days: 1 });
  await runCleanUp();
  expect(await rows()).toEqual([0, 0]);
});

test("mail counters older than a day are deleted", async () => {
  const org = await createOrganization(t);
  const { id } = await report(await org.member());
  expectStatus(await setStatus(org.admin, ORGANIZATION_TICKETS, id, "RESOLVED"), 200);
  expectStatus(await invite(org.admin), 201);
  const tables = ["ticket_mails", "user_invitation_sends"];
  const rows = async () => {
    await runCleanUp();
    return (await Promise.all(tables.map((table) => t.sql(`SELECT FROM ${table}`)))).map(
      ({ length }) => length,
    );
  };
  for (const table of tables) await t.age(table, {}, { hours: 23 });
  expect(await rows()).toEqual([1, 1]);
  for (const table of tables) await t.age(table, {}, { hours: 1 });
  expect(await rows()).toEqual([0, 0]);
});

test("notifications older than the configured days are deleted, even unread, and the unread count follows; by default none is deleted", async () => {
  const brief = await startService({ RETENTION_NOTIFICATIONS_DAYS: "30" });
  const notificationsAfter = async (service: Service, days: number) => {
    const person = await service.person();
    await service.sql(
      `INSERT INTO notifications (user_id, type, data, created_at)
       SELECT id, 'TEST', '{"sentAt": "2026-01-01T00:00:00.000Z"}', now() - make_interval(days => $2)
       FROM users WHERE email = $1`,
      [person.email, days],
    );
    await service.sql("INSERT INTO pgboss.job (name) VALUES ('sessions.clean-up')");
    await service.drain();
    const [list, unread] = [
      await person.get("/api/notifications"),
      await person.get("/api/notifications/unread-count"),
    ];
    expect(list.body.data).toHaveLength(list.body.total);
    expect(unread.body.count).toBe(list.body.total);
    return list.body.data.map(({ type }: { type: string }) => type).sort();
  };
  expect(await notificationsAfter(brief, 31)).toEqual(["WELCOME"]);
  expect(await notificationsAfter(brief, 29)).toEqual(["TEST", "WELCOME"]);
  expect(await notificationsAfter(t, 3_000)).toEqual(["TEST", "WELCOME"]);
});

test("the retention job is scheduled once a day", async () => {
  expect(await t.sql("SELECT name, cron FROM pgboss.schedule WHERE name = 'sessions.clean-up'")).toEqual([
    { name: "sessions.clean-up", cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) },
  ]);
});

/** Queues the retention job, as its schedule would, and runs it. */
async function runCleanUp() {
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('sessions.clean-up')");
  await t.drain();
}

import { expect, test } from "bun:test";
import {
  helpdeskNotifications,
  ORGANIZATION_TICKETS,
  PLATFORM_TICKETS,
  setStatus,
  write,
} from "../support/helpdesk.ts";
import { helpdeskWorld, reported } from "../support/helpdesk-world.ts";
import { idOf } from "../support/outcomes.ts";
import { race } from "../support/race.ts";
import { expectStatus, startService } from "../support/service.ts";

const t = await startService();
const d = await helpdeskWorld(t);
const [other] = await t.cluster(1);
const { admin } = d.org;

const STATUSES = ["IN_PROGRESS", "RESOLVED", "OPEN"];
const mailsTo = async ({ email }: { email: string }) =>
  (await t.mailTo(email)).filter(({ subject }) => subject.includes("#")).length;
const tells = async (who: Parameters<typeof idOf>[0]) => (await helpdeskNotifications(t, idOf(who))).length;

test("60 status changes of a ticket notify its reporter each time, but mail them at most 20 times an hour", async () => {
  const { id, reporter } = await reported(d);
  for (let count = 0; count < 60; count += 1)
    expectStatus(await setStatus(admin, ORGANIZATION_TICKETS, id, STATUSES[count % 3] ?? ""), 200);
  expect([await tells(reporter), await mailsTo(reporter)]).toEqual([60, 20]);

  await t.age("ticket_mails", { ticket_id: id }, { minutes: 59 });
  expectStatus(await setStatus(admin, ORGANIZATION_TICKETS, id, "CLOSED"), 200);
  expect([await tells(reporter), await mailsTo(reporter)]).toEqual([61, 20]);
  await t.age("ticket_mails", { ticket_id: id }, { minutes: 1 });
  expectStatus(await setStatus(admin, ORGANIZATION_TICKETS, id, "OPEN"), 200);
  expect([await tells(reporter), await mailsTo(reporter)]).toEqual([62, 21]);
});

test("replies and status changes count together towards a ticket's mails per hour, concurrently and over several processes", async () => {
  const [{ id, reporter }, another] = [await reported(d), await reported(d)];
  const staff = [admin, admin.at(other?.url ?? "")];
  await race(50, async (index) => {
    const who = staff[index % 2] ?? admin;
    if (index % 5 < 2) await write(who, ORGANIZATION_TICKETS, id, "A reply");
    else expectStatus(await setStatus(who, ORGANIZATION_TICKETS, id, STATUSES[index % 3] ?? ""), 200);
  });
  const heard = await tells(reporter);
  expect(heard).toBeGreaterThan(20);
  expect(await mailsTo(reporter)).toBe(20);
  await write(d.platform, PLATFORM_TICKETS, id, "A reply of the platform");
  expect([await tells(reporter), await mailsTo(reporter)]).toEqual([heard + 1, 20]);

  await write(admin, ORGANIZATION_TICKETS, another.id, "A reply");
  expect([await tells(another.reporter), await mailsTo(another.reporter)]).toEqual([1, 1]);
});

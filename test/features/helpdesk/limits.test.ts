import { expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { fields, formOf, image } from "../../support/forms.ts";
import {
  ORGANIZATION_TICKETS,
  OWN_TICKETS,
  PLATFORM_TICKETS,
  report,
  reportBody,
  withImages,
} from "../../support/helpdesk.ts";
import { pngWith } from "../../support/images.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { race } from "../../support/race.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { ownStorage } from "../../support/storage.ts";

const t = await startService((await ownStorage()).environment);
const LIMITED = "429 TOO_MANY_REQUESTS";

const create = (who: Caller, given: Record<string, unknown> = {}) => who.post(OWN_TICKETS, reportBody(given));
const say = (who: Caller, id: string, place = OWN_TICKETS) =>
  who.post(`${place}/${id}/messages`, { message: "More" });

function expectLimited(response: ApiResponse) {
  expect(outcome(response)).toBe(LIMITED);
  const seconds = Number(response.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(3600);
}

test("a user can create five tickets an hour, and refused ones do not count", async () => {
  const who = await t.person();
  const refused = [
    () => create(who, { subject: "" }),
    () => who.post(OWN_TICKETS, undefined, withImages(reportBody() as never, [Buffer.from("<svg/>")])),
    () => who.post(OWN_TICKETS, undefined, withImages(reportBody() as never, [pngWith().slice(0, -5)])),
  ];
  for (let round = 0; round < 2; round += 1)
    for (const send of refused) expect((await send()).status).toBeGreaterThanOrEqual(400);
  for (let count = 0; count < 5; count += 1) expectStatus(await create(who), 201);
  expectLimited(await create(who));
  expectLimited(await who.post(OWN_TICKETS, undefined, withImages(reportBody() as never, [pngWith()])));
  // Validation comes before the limit, and other users have their own limits.
  expect(outcome(await create(who, { subject: "" }))).toBe("400 VALIDATION_FAILED");
  expectStatus(await create(await t.person()), 201);
  const { total } = (await who.get(OWN_TICKETS)).body;
  expect(total).toBe(5);
});

test("of ten concurrent reports of one user, exactly five are accepted", async () => {
  const who = await t.person();
  const responses = await race(10, () => create(who));
  expect(responses.map(outcome).sort()).toEqual([...Array(5).fill("201"), ...Array(5).fill(LIMITED)]);
});

test("a user can send thirty messages an hour over all tickets and routes, without each ticket's first message", async () => {
  const org = await createOrganization(t);
  const who = org.admin;
  const [one, two] = [await report(who), await report(who)];
  const closed = await report(who);
  expectStatus(await who.post(`${OWN_TICKETS}/${closed.id}/close`), 204);
  // Refused messages do not count.
  expect(outcome(await who.post(`${OWN_TICKETS}/${one.id}/messages`, { message: "" }))).toBe(
    "400 VALIDATION_FAILED",
  );
  expect(outcome(await say(who, crypto.randomUUID()))).toBe("404 NOT_FOUND");
  expect(outcome(await say(who, closed.id))).toBe("409 TICKET_CLOSED");
  expect(outcome(await say(who, closed.id, ORGANIZATION_TICKETS))).toBe("409 TICKET_CLOSED");
  const noImage = formOf([...fields({ message: "More" }), image(Buffer.from("<svg/>"))]);
  expect(outcome(await who.post(`${OWN_TICKETS}/${one.id}/messages`, undefined, noImage))).toBe(
    "415 UNSUPPORTED_IMAGE",
  );

  const responses = await race(36, (index) => {
    const { id } = index % 2 === 0 ? one : two;
    if (index % 3 === 0)
      return who.post(`${ORGANIZATION_TICKETS}/${id}/messages`, { message: "Note", internal: true });
    return say(who, id, index % 3 === 1 ? OWN_TICKETS : ORGANIZATION_TICKETS);
  });
  expect(responses.map(outcome).sort()).toEqual([...Array(30).fill("201"), ...Array(6).fill(LIMITED)]);
  expectLimited(await say(who, one.id));
  // The limit is checked after the ticket's existence and before its state.
  expectLimited(await say(who, closed.id));
  expect(outcome(await say(who, crypto.randomUUID()))).toBe("404 NOT_FOUND");
  expectStatus(await create(who), 201);
});

test("each platform administrator has the same limit of messages, counted separately", async () => {
  const [one, other] = [await t.platformAdmin(), await t.platformAdmin()];
  const { id } = await report(await t.person());
  const responses = await race(31, () => say(one, id, PLATFORM_TICKETS));
  expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array(30).fill(201), 429]);
  expectStatus(await say(other, id, PLATFORM_TICKETS), 201);
});

const MB = 1024 * 1024;
/** Stores image rows of a user with this total size. */
const sentBefore = (who: Caller, bytes: number, { hours = 0, isDeleted = false } = {}) =>
  t.sql(
    `INSERT INTO ticket_attachments (ticket_id, user_id, storage_key, position, file_name, content_type, size, width, height,
       is_deleted, created_at, message_id)
     SELECT m.ticket_id, $1, 'helpdesk/' || gen_random_uuid(), 1, 'a.png', 'image/png', $2, 1, 1, $3,
       now() - $4::int * interval '1 hour', m.id
     FROM ticket_messages m JOIN tickets t ON t.id = m.ticket_id WHERE t.reporter_id = $1 LIMIT 1`,
    [idOf(who), bytes, isDeleted, hours],
  );
const QUOTA = "429 UPLOAD_QUOTA_EXCEEDED";
const upload = (who: Caller, id: string, images = [pngWith()]) =>
  who.post(`${OWN_TICKETS}/${id}/messages`, undefined, withImages({}, images));

test("a user can upload exactly 100 MB of images in 24 hours, including deleted images and those of deleted tickets", async () => {
  const who = await t.person();
  const admin = await t.platformAdmin();
  const size = pngWith().length;
  const [deleted, open] = [await report(who, {}, [pngWith()]), await report(who)];
  expectStatus(await admin.delete(`${PLATFORM_TICKETS}/${deleted.id}`), 204);
  await sentBefore(who, 50 * MB, { isDeleted: true });
  await sentBefore(who, 50 * MB - 3 * size);
  // Images older than 24 hours do not count.
  await sentBefore(who, 90 * MB, { hours: 25 });
  expect(outcome(await upload(who, open.id, [pngWith(), pngWith(), pngWith()]))).toBe(QUOTA);
  expectStatus(await upload(who, open.id, [pngWith(), pngWith()]), 201);
  const refused = await upload(who, open.id);
  expect(outcome(refused)).toBe(QUOTA);
  const seconds = Number(refused.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(23 * 3600);
  expect(seconds).toBeLessThanOrEqual(24 * 3600);
  const response = await who.post(OWN_TICKETS, undefined, withImages(reportBody() as never, [pngWith()]));
  expect(outcome(response)).toBe(QUOTA);
  // Messages without images and other users are not affected.
  expectStatus(await say(who, open.id), 201);
  await report(await t.person(), {}, [pngWith()]);
  await t.age("ticket_attachments", { user_id: idOf(who) }, { hours: 24, minutes: 1 });
  expectStatus(await upload(who, open.id), 201);
});

test("messages that are refused because of the image quota do not count against the hourly limits", async () => {
  const who = await t.person();
  const { id } = await report(who);
  await sentBefore(who, 100 * MB);
  for (let count = 0; count < 6; count += 1) {
    const response = await who.post(OWN_TICKETS, undefined, withImages(reportBody() as never, [pngWith()]));
    expect(outcome(response)).toBe(QUOTA);
  }
  for (let count = 0; count < 4; count += 1) expectStatus(await create(who), 201);
  expectStatus(await say(who, id), 201);
});

test("the image quota is checked before the ticket's status and its number of images", async () => {
  const who = await t.person();
  const [closed, full] = [await report(who), await report(who)];
  expectStatus(await who.post(`${OWN_TICKETS}/${closed.id}/close`), 204);
  await t.sql(
    `INSERT INTO ticket_attachments (ticket_id, user_id, storage_key, position, file_name, content_type, size, width, height,
       message_id, created_at)
     SELECT ticket_id, $1, 'helpdesk/' || gen_random_uuid(), 1, 'a.png', 'image/png', 1, 1, 1, id, now() - interval '2 days'
     FROM ticket_messages, generate_series(1, 50) WHERE ticket_id = $2`,
    [idOf(who), full.id],
  );
  expect(outcome(await upload(who, closed.id))).toBe("409 TICKET_CLOSED");
  expect(outcome(await upload(who, full.id))).toBe("400 TOO_MANY_IMAGES");
  await sentBefore(who, 100 * MB);
  expect(outcome(await upload(who, closed.id))).toBe(QUOTA);
  expect(outcome(await upload(who, full.id))).toBe(QUOTA);
  expect(outcome(await upload(who, crypto.randomUUID()))).toBe("404 NOT_FOUND");
  // Errors of the form itself come before the quota.
  const six = Array.from({ length: 6 }, () => pngWith());
  expect(outcome(await upload(who, full.id, six))).toBe("400 TOO_MANY_IMAGES");
});

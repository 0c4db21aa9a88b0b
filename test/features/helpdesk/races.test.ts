import { expect, test } from "bun:test";
import * as messages from "#sql/helpdesk/messages";
import * as tickets from "#sql/helpdesk/tickets";
import { exactlyOne } from "../../../src/platform/db/prepared-query.ts";
import type { Caller } from "../../support/caller.ts";
import {
  helpdeskNotifications,
  imageRows,
  ORGANIZATION_TICKETS,
  OWN_TICKETS,
  PLATFORM_TICKETS,
  read,
  reportBody,
  withImages,
} from "../../support/helpdesk.ts";
import { pngWith } from "../../support/images.ts";
import { type Call, sendAtOnce } from "../../support/invitation-races.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { FEWER_ROUNDS } from "../../support/race.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { ownStorage } from "../../support/storage.ts";

/*
 * Concurrent calls to two instances about one ticket. They fail without `FOR UPDATE` in lockTicket, or lockUsers in uploads.
 */

const storage = await ownStorage();
const t = await startService(storage.environment);
const urls = [t.url, (await t.beside()).url];
const platform = await t.platformAdmin();
const db = { query: (text: string, values: unknown[]) => t.sql(text, values) };

/** Rounds with the same users; more would exceed their limit of messages per hour. */
const ROUNDS_OF_A_CREW = 14;
async function crew() {
  const org = await createOrganization(t);
  return {
    org,
    admin: org.admin,
    helper: await org.member({ role: "ORG_ADMIN" }),
    reporter: await org.member(),
  };
}
let current: Awaited<ReturnType<typeof crew>>;

/** Runs `work` once per round with a new ticket, inserted past the hourly limits, and users below their limits. */
async function rounds(work: (id: string, people: typeof current, round: number) => Promise<void>) {
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    if (round % ROUNDS_OF_A_CREW === 0) current = await crew();
    await work(await sent(current), current, round);
  }
}

async function sent({ org, reporter }: typeof current): Promise<string> {
  const reporterId = idOf(reporter);
  const none = { id: null, pagePath: null, browser: null, appVersion: null };
  const given = { ...none, ...reportBody(), organizationId: org.id, reporterId };
  const { id } = exactlyOne(await tickets.insertTicket.run(given, db));
  const first = { ticketId: id, authorId: reporterId, body: "First", staffScope: null, internal: false };
  await messages.insertMessage.run({ ...first, max: 1 }, db);
  return id;
}

const say =
  (who: Caller, place: string, id: string, body: unknown = { message: "More" }): Call =>
  (url) =>
    who.at(url).post(`${place}/${id}/messages`, body);
const show =
  (who: Caller, place: string, id: string): Call =>
  (url) =>
    who.at(url).post(`${place}/${id}/messages`, undefined, withImages({}, [pngWith()]));
const close =
  (who: Caller, id: string): Call =>
  (url) =>
    who.at(url).post(`${OWN_TICKETS}/${id}/close`);
const move =
  (who: Caller, place: string, id: string, status: string): Call =>
  (url) =>
    who.at(url).patch(`${place}/${id}`, { status });
const remove =
  (id: string): Call =>
  (url) =>
    platform.at(url).delete(`${PLATFORM_TICKETS}/${id}`);

const eventsOf = async (id: string) =>
  (
    await t.sql<{ metadata: { to?: string } }>(
      "SELECT metadata FROM audit_events WHERE target_id = $1 ORDER BY id",
      [id],
    )
  ).map(({ metadata }) => metadata.to);
const toldTo = async (who: Caller, id: string) =>
  (await helpdeskNotifications(t, idOf(who)))
    .filter(({ data }) => data.ticketId === id)
    .map(({ type }) => type);
/** Expects this number of images, each with a message: no other row and no other object. */
async function expectNothingLeft(id: string, images: number) {
  const rows = await t.sql<{ message_id: string | null }>(
    "SELECT message_id FROM ticket_attachments WHERE ticket_id = $1",
    [id],
  );
  expect(rows.map(({ message_id }) => message_id !== null)).toEqual(Array(images).fill(true));
  expect((await storage.keys()).filter((key) => key.includes(id))).toHaveLength(images);
}

test("of two concurrent first replies exactly one sets the ticket to IN_PROGRESS, and both are stored", async () => {
  await rounds(async (id, { admin, helper, reporter }, round) => {
    expect(
      await sendAtOnce(
        urls,
        round,
        say(admin, ORGANIZATION_TICKETS, id),
        say(helper, ORGANIZATION_TICKETS, id),
      ),
    ).toBe("201, 201");
    expect(await read(admin, ORGANIZATION_TICKETS, id)).toMatchObject({
      status: "IN_PROGRESS",
      messageCount: 3,
    });
    expect(await eventsOf(id)).toEqual(["IN_PROGRESS"]);
    expect(await toldTo(reporter, id)).toEqual(["HELPDESK_STAFF_REPLIED", "HELPDESK_STAFF_REPLIED"]);
  });
});

test("a reply concurrent with a close is stored before it or refused", async () => {
  await rounds(async (id, { admin, reporter }, round) => {
    const outcomes = await sendAtOnce(urls, round, say(admin, ORGANIZATION_TICKETS, id), close(reporter, id));
    expect(["201, 204", "204, 201", "409 TICKET_CLOSED, 204", "204, 409 TICKET_CLOSED"]).toContain(outcomes);
    const isThere = outcomes.includes("201");
    expect(await read(reporter, OWN_TICKETS, id)).toMatchObject({
      status: "CLOSED",
      messageCount: isThere ? 2 : 1,
    });
    expect(await eventsOf(id)).toEqual(isThere ? ["IN_PROGRESS"] : []);
    expect(await toldTo(reporter, id)).toEqual(isThere ? ["HELPDESK_STAFF_REPLIED"] : []);
  });
});

test("an image uploaded concurrently with a close is stored before it, or leaves no row and no object", async () => {
  await rounds(async (id, { reporter, admin }, round) => {
    const outcomes = await sendAtOnce(
      urls,
      round,
      show(reporter, OWN_TICKETS, id),
      move(admin, ORGANIZATION_TICKETS, id, "CLOSED"),
    );
    const isThere = outcomes.includes("201");
    if (!isThere) expect(outcomes).toContain("409 TICKET_CLOSED");
    expect(await read(reporter, OWN_TICKETS, id)).toMatchObject({
      status: "CLOSED",
      messageCount: isThere ? 2 : 1,
    });
    await expectNothingLeft(id, isThere ? 1 : 0);
  });
});

test("of two concurrent closes exactly one closes the ticket", async () => {
  await rounds(async (id, { admin, helper, reporter }, round) => {
    const [one, two] = [
      move(admin, ORGANIZATION_TICKETS, id, "CLOSED"),
      move(helper, ORGANIZATION_TICKETS, id, "CLOSED"),
    ];
    expect(await sendAtOnce(urls, round, one, two)).toBe("200, 200");
    expect(await eventsOf(id)).toEqual(["CLOSED"]);
    expect(await toldTo(reporter, id)).toEqual(["HELPDESK_STATUS_CHANGED"]);
    expect(await sendAtOnce(urls, round, close(reporter, id), close(reporter, id))).toBe("204, 204");
  });
});

test("two concurrent status changes are audited one after the other: each event begins with the status that the other set", async () => {
  await rounds(async (id, { admin, helper }, round) => {
    await sendAtOnce(
      urls,
      round,
      move(admin, ORGANIZATION_TICKETS, id, "RESOLVED"),
      move(helper, ORGANIZATION_TICKETS, id, "CLOSED"),
    );
    const events = await t.sql<{ metadata: { from: string; to: string } }>(
      "SELECT metadata FROM audit_events WHERE target_id = $1 ORDER BY id",
      [id],
    );
    const [first, second] = events.map(({ metadata }) => metadata);
    expect(first?.from).toBe("OPEN");
    expect(second?.from).toBe(first?.to ?? "");
    expect((await read(admin, ORGANIZATION_TICKETS, id)).status).toBe(second?.to ?? "");
  });
});

test("a reporter's message concurrent with resolving reopens the ticket or comes first", async () => {
  await rounds(async (id, { admin, reporter }, round) => {
    const outcomes = await sendAtOnce(
      urls,
      round,
      say(reporter, OWN_TICKETS, id),
      move(admin, ORGANIZATION_TICKETS, id, "RESOLVED"),
    );
    expect(["201, 200", "200, 201"]).toContain(outcomes);
    const { status, lastActivityAt } = await read(admin, ORGANIZATION_TICKETS, id);
    expect(["OPEN", "RESOLVED"]).toContain(status);
    const [last] = await t.sql<{ at: Date }>(
      "SELECT max(time) AS at FROM audit_events WHERE target_id = $1",
      [id],
    );
    // If the ticket is RESOLVED, the message came first, so the last activity is the status change.
    if (status === "RESOLVED") expect(Date.parse(lastActivityAt)).toBe(last?.at.getTime() ?? 0);
  });
});

test("a message sent concurrently with the deletion of its ticket is deleted with it or is 404", async () => {
  await rounds(async (id, { reporter }, round) => {
    const outcomes = await sendAtOnce(urls, round, show(reporter, OWN_TICKETS, id), remove(id));
    expect(["201, 204", "204, 201", "404 NOT_FOUND, 204", "204, 404 NOT_FOUND"]).toContain(outcomes);
    expect((await reporter.get(`${OWN_TICKETS}/${id}`)).status).toBe(404);
    await expectNothingLeft(id, outcomes.includes("201") ? 1 : 0);
  });
});

test("of two concurrent deletions exactly one deletes the ticket", async () => {
  await rounds(async (id, _people, round) => {
    const outcomes = await sendAtOnce(urls, round, remove(id), remove(id));
    expect(["204, 404 NOT_FOUND", "404 NOT_FOUND, 204"]).toContain(outcomes);
    expect(await eventsOf(id)).toHaveLength(1);
  });
});

/** Stores `count` image rows of a user, each with `bytes` bytes. */
const sentBefore = (who: Caller, ticketId: string, count: number, bytes: number) =>
  t.sql(
    `INSERT INTO ticket_attachments (ticket_id, user_id, message_id, storage_key, position, file_name, content_type, size, width, height)
     SELECT $2, $1, m.id, 'helpdesk/' || gen_random_uuid(), n, 'a.png', 'image/png', $4, 1, 1
     FROM ticket_messages m, generate_series(1, $3::int) n WHERE m.ticket_id = $2`,
    [idOf(who), ticketId, count, bytes],
  );
const DAY = 100 * 1024 * 1024;

test("of two concurrent uploads for the last bytes of a user's daily quota exactly one is accepted", async () => {
  await rounds(async (id, people, round) => {
    const { reporter } = people;
    await t.sql("DELETE FROM ticket_attachments WHERE user_id = $1", [idOf(reporter)]);
    await sentBefore(reporter, id, 1, DAY - pngWith().length);
    // The uploads are to two tickets, so the ticket's row lock does not serialize them.
    const other = await sent(people);
    const outcomes = await sendAtOnce(
      urls,
      round,
      show(reporter, OWN_TICKETS, id),
      show(reporter, OWN_TICKETS, other),
    );
    expect(outcomes.split(", ").sort()).toEqual(["201", "429 UPLOAD_QUOTA_EXCEEDED"]);
    expect(await imageRows(t, idOf(reporter))).toHaveLength(2);
  });
});

test("of two concurrent uploads of a ticket's fiftieth image exactly one is accepted", async () => {
  await rounds(async (id, { reporter, admin }, round) => {
    await sentBefore(reporter, id, 49, 10);
    const outcomes = await sendAtOnce(
      urls,
      round,
      show(reporter, OWN_TICKETS, id),
      show(admin, ORGANIZATION_TICKETS, id),
    );
    expect(outcomes.split(", ").sort()).toEqual(["201", "400 TOO_MANY_IMAGES"]);
    const rows = await t.sql("SELECT FROM ticket_attachments WHERE ticket_id = $1", [id]);
    expect(rows).toHaveLength(50);
  });
});

test("concurrently created tickets have unique numbers and one first message each", async () => {
  const people = await Promise.all(Array.from({ length: 4 }, () => t.person()));
  const responses = await Promise.all(
    people.flatMap((who) =>
      urls.flatMap((url) => [1, 2].map(() => who.at(url).post(OWN_TICKETS, reportBody()))),
    ),
  );
  const bodies = responses.map((response) => expectStatus(response, 201).body);
  expect(new Set(bodies.map(({ number }) => number)).size).toBe(bodies.length);
  expect(bodies.every(({ messageCount }) => messageCount === 1)).toBe(true);
});

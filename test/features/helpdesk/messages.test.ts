import { expect, test } from "bun:test";
import { until } from "../../support/cluster.ts";
import {
  bodies,
  type Message,
  note,
  ORGANIZATION_TICKETS,
  OWN_TICKETS,
  read,
} from "../../support/helpdesk.ts";
import { helpdeskWorld, reported, type View } from "../../support/helpdesk-world.ts";
import { idOf, messages, outcome } from "../../support/outcomes.ts";
import { race } from "../../support/race.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { holdTable } from "../../support/tables.ts";

const t = await sharedService();
const d = await helpdeskWorld(t);
const { organization, unitAdmin, parentAdmin, platform, platformThere } = d.views;

type Page = { data: Message[]; earlierMessageCount: number };

/** Adds messages to a ticket within one second, with notes of the given authors between them. */
async function fill(id: string, authorId: string, count: number, notes: Record<string, string | null> = {}) {
  await t.sql(
    `INSERT INTO ticket_messages (ticket_id, author_id, body, created_at)
     SELECT $1, $2, 'message ' || n, now() + (n / 3) * interval '1 millisecond' FROM generate_series(1, $3::int) n`,
    [id, authorId, count],
  );
  for (const [author, scope] of Object.entries(notes))
    await t.sql(
      `INSERT INTO ticket_messages (ticket_id, author_id, body, staff_scope, internal, created_at)
       SELECT $1, $2, 'note ' || n, $3, true, now() + n * interval '1 millisecond' FROM generate_series(1, 20) n`,
      [id, author, scope],
    );
}

const page = async ({ who, place, headers = {} }: View, id: string, query: string): Promise<Page> =>
  expectStatus(await who.get(`${place}/${id}/messages?${query}`, { headers }), 200).body;

/** Reads all messages that a viewer can see, page by page from the newest to the first. */
async function readAll(view: View, id: string, pageSize: number): Promise<Message[]> {
  const ticket = (await read(view.who, view.place, id, { headers: view.headers ?? {} })) as never as {
    messages: Message[];
    earlierMessageCount: number;
  };
  let all = ticket.messages;
  let left = ticket.earlierMessageCount;
  while (left > 0) {
    const { data, earlierMessageCount } = await page(view, id, `before=${all[0]?.id}&pageSize=${pageSize}`);
    expect(data).toHaveLength(Math.min(pageSize, left));
    expect(earlierMessageCount).toBe(left - data.length);
    all = [...data, ...all];
    left = earlierMessageCount;
  }
  expect((await page(view, id, `before=${all[0]?.id}`)).data).toEqual([]);
  return all;
}

test("a ticket returns its newest 100 messages, and earlier pages return the rest, with the notes that each reader may see", async () => {
  const { id, reporter } = await reported(d);
  await fill(id, idOf(reporter), 230, {
    [idOf(organization.who)]: "ORGANIZATION",
    [idOf(parentAdmin.who)]: "ORGANIZATION",
    [idOf(unitAdmin.who)]: "ORGANIZATION",
    [idOf(platform.who)]: "PLATFORM",
  });
  const readers: [string, View, number][] = [
    ["reporter", { who: reporter, place: OWN_TICKETS }, 231],
    ["organization", organization, 231 + 60],
    ["parentAdmin", parentAdmin, 231 + 40],
    ["unitAdmin", unitAdmin, 231 + 20],
    ["platform", platform, 231 + 80],
    ["platformThere", platformThere, 231 + 80],
  ];
  for (const [name, view, total] of readers) {
    const ticket = await read(view.who, view.place, id, { headers: view.headers ?? {} });
    expect([name, ticket.messages.length, ticket.messageCount]).toEqual([name, 100, total]);
    expect(ticket).toMatchObject({ earlierMessageCount: total - 100 });
    const all = await readAll(view, id, 37);
    expect([name, all.length, new Set(all.map((message) => message.id)).size]).toEqual([name, total, total]);
    expect(all.map(({ createdAt }) => createdAt)).toEqual(all.map(({ createdAt }) => createdAt).sort());
    expect(all[0]?.body).toBe("Since this morning.");
    expect((await page(view, id, "pageSize=100")).data).toEqual(ticket.messages);
  }
});

test("a page of messages has 20 by default and at most 100, and unknown parameters are refused", async () => {
  const { id, reporter } = await reported(d);
  await fill(id, idOf(reporter), 30);
  const own = { who: reporter, place: OWN_TICKETS };
  expect(bodies({ messages: (await page(own, id, "")).data } as never)).toEqual(
    Array.from({ length: 20 }, (_, n) => `message ${n + 11}`),
  );
  const refused = async (query: string) =>
    messages(await reporter.get(`${OWN_TICKETS}/${id}/messages?${query}`));
  expect(await refused("pageSize=0")).toHaveLength(1);
  expect(await refused("pageSize=101")).toHaveLength(1);
  expect(await refused("before=first")).toEqual(["before must be a UUID"]);
  expect(await refused("page=2")).toEqual(["property page should not exist"]);
});

test("`before` must be a message of this ticket that the reader may see; any other, or a ticket out of reach, is 404", async () => {
  const [here, elsewhere] = [await reported(d), await reported(d)];
  const written = await note(parentAdmin.who, ORGANIZATION_TICKETS, here.id, "above");
  const ask = async ({ who, place, headers = {} }: View, id: string, before: string) =>
    outcome(await who.get(`${place}/${id}/messages?before=${before}`, { headers }));
  const own = { who: here.reporter, place: OWN_TICKETS };
  const first = here.ticket.messages[0]?.id ?? "";
  for (const view of [own, organization, parentAdmin, unitAdmin, platform, platformThere]) {
    const seesNote = view !== own && view !== unitAdmin;
    expect(await ask(view, here.id, first)).toBe("200");
    expect(await ask(view, here.id, written.id)).toBe(seesNote ? "200" : "404 NOT_FOUND");
    expect(await ask(view, here.id, elsewhere.ticket.messages[0]?.id ?? "")).toBe("404 NOT_FOUND");
    expect(await ask(view, here.id, crypto.randomUUID())).toBe("404 NOT_FOUND");
  }
  for (const view of [d.views.besideAdmin, d.views.stranger, { who: elsewhere.reporter, place: OWN_TICKETS }])
    expect(await ask(view, here.id, first)).toBe("404 NOT_FOUND");
});

test("a ticket has at most 1,000 messages, including notes, even if several are sent concurrently", async () => {
  const { id, reporter } = await reported(d);
  await fill(id, idOf(reporter), 977, { [idOf(organization.who)]: "ORGANIZATION" });
  const send = (index: number) =>
    index % 2 === 0
      ? reporter.post(`${OWN_TICKETS}/${id}/messages`, { message: "More" })
      : d.org.admin.post(`${ORGANIZATION_TICKETS}/${id}/messages`, { message: "More", internal: true });
  const responses = await race(6, send);
  expect(responses.map(outcome).sort()).toEqual([...Array(2).fill("201"), ...Array(4).fill("409 CONFLICT")]);
  const body = responses.find(({ status }) => status === 409)?.body;
  expect(body.message).toContain("1000 messages; open a new ticket");
  expect(body.details).toEqual({ max: 1_000 });
  expectStatus(await reporter.post(`${OWN_TICKETS}/${id}/close`), 204);
  expect(await readAll({ who: d.org.admin, place: ORGANIZATION_TICKETS }, id, 100)).toHaveLength(1_000);
});

test("reading a ticket or its messages counts as a list request: two of an account run at once, and sixteen wait", async () => {
  const { id, reporter } = await reported(d);
  for (const path of [`${OWN_TICKETS}/${id}`, `${OWN_TICKETS}/${id}/messages`]) {
    const lock = await holdTable(t, "ticket_attachments");
    let refused = 0;
    const responses = race(30, async () => {
      const response = await reporter.get(path);
      if (response.status === 429) refused += 1;
      return response;
    });
    try {
      await until(() => (refused >= 12 ? true : null));
    } finally {
      await lock.release();
    }
    expect((await responses).filter(({ status }) => status === 200)).toHaveLength(18);
  }
});

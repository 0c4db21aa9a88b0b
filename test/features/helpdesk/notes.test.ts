import { expect, test } from "bun:test";
import { fields, formOf } from "../../support/forms.ts";
import {
  bodies,
  download,
  helpdeskNotifications,
  type Message,
  note,
  ORGANIZATION_TICKETS,
  OWN_TICKETS,
  read,
} from "../../support/helpdesk.ts";
import { helpdeskWorld, reported, setRoles, type View } from "../../support/helpdesk-world.ts";
import { pngWith } from "../../support/images.ts";
import { idOf, messages } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();
/** The users and units that the tests share, unless a test changes them. */
const d = await helpdeskWorld(t);
const { organization, unitAdmin, parentAdmin, platform, platformThere } = d.views;

const noteBy = ({ who, place, headers = {} }: View, id: string, text: string) =>
  note(who, place, id, text, { images: [pngWith()], headers });
const imageOf = (message: Message) => message.attachments[0]?.id ?? "";
/** Returns the texts of the notes that a caller sees, in order. */
const notesFor = async ({ who, place, headers = {} }: View, id: string) =>
  bodies(await read(who, place, id, { headers })).slice(1);

test("a note is visible to staff whose reach includes its author; platform notes only to platform administrators", async () => {
  const { id, reporter } = await reported(d);
  const notes: Record<string, Message> = {};
  for (const [text, view] of Object.entries({
    organization,
    parentAdmin,
    unitAdmin,
    platform,
    platformThere,
  }))
    notes[text] = await noteBy(view, id, text);
  const ofOrganization = ["organization", "parentAdmin", "unitAdmin"];
  const readers: [string, View, string[]][] = [
    ["reporter", { who: reporter, place: OWN_TICKETS }, []],
    ["organization", organization, ofOrganization],
    ["parentAdmin", parentAdmin, ["parentAdmin", "unitAdmin"]],
    ["unitAdmin", unitAdmin, ["unitAdmin"]],
    ["platform", platform, [...ofOrganization, "platform", "platformThere"]],
    ["platformThere", platformThere, [...ofOrganization, "platform", "platformThere"]],
  ];
  for (const [name, view, expected] of readers) {
    expect([name, await notesFor(view, id)]).toEqual([name, expected]);
    for (const [text, message] of Object.entries(notes)) {
      const { status } = await download(view.who, imageOf(message));
      expect([name, text, status]).toEqual([name, text, expected.includes(text) ? 200 : 404]);
    }
  }
});

test("unit staff see the notes of the unit's former members, and always their own notes", async () => {
  const { id } = await reported(d);
  const past = await d.org.member({ role: "UNIT_ADMIN", unit: d.unit });
  const byPast = await noteBy({ who: past, place: ORGANIZATION_TICKETS }, id, "past");
  const path = `/api/members/${idOf(past)}`;
  await setRoles(d, past, { role: "UNIT_ADMIN", unit: d.parent });
  expectStatus(await d.org.admin.patch(`${path}/units`, { unitIds: [d.parent] }), 200);
  const another = {
    who: await d.org.member({ role: "UNIT_ADMIN", unit: d.unit }),
    place: ORGANIZATION_TICKETS,
  };
  await noteBy(parentAdmin, id, "above");
  expect(await notesFor(another, id)).toEqual(["past"]);
  expectStatus(await d.org.admin.delete(path), 204);
  expect(await notesFor(another, id)).toEqual(["past"]);
  expect((await download(another.who, imageOf(byPast))).status).toBe(200);

  // A member without a unit membership, but with a role, sees their own notes.
  const lone = { who: parentAdmin.who, place: ORGANIZATION_TICKETS };
  await t.sql("DELETE FROM membership_units WHERE user_id = $1", [idOf(lone.who)]);
  expect(await notesFor(lone, id)).toEqual(["past", "above"]);
  await d.org.link(lone.who, d.parent);
});

test("unit staff do not see notes of a member who was only in other units, whatever that member's role", async () => {
  const { id } = await reported(d);
  const writer = await d.org.member({ role: "ORG_ADMIN" }, { role: "MEMBER", unit: d.beside });
  const written = await noteBy({ who: writer, place: ORGANIZATION_TICKETS }, id, "elsewhere");
  expect(await notesFor(unitAdmin, id)).toEqual([]);
  expect(await notesFor(parentAdmin, id)).toEqual(["elsewhere"]);
  expect((await download(unitAdmin.who, imageOf(written))).status).toBe(404);
  await d.org.link(writer, d.unit);
  expect(await notesFor(unitAdmin, id)).toEqual(["elsewhere"]);
  expect((await download(unitAdmin.who, imageOf(written))).status).toBe(200);
});

test("an internal note sends no notification, and changes neither the ticket's status nor its last activity", async () => {
  const { id, reporter } = await reported(d);
  const people = [reporter, d.org.admin, unitAdmin.who, parentAdmin.who, d.platform];
  const before = await Promise.all(people.map((who) => helpdeskNotifications(t, idOf(who))));
  const then = await read(d.org.admin, ORGANIZATION_TICKETS, id);
  for (const view of [organization, unitAdmin, platform]) await noteBy(view, id, "note");
  expect(await Promise.all(people.map((who) => helpdeskNotifications(t, idOf(who))))).toEqual(before);
  const { status, lastActivityAt } = await read(d.org.admin, ORGANIZATION_TICKETS, id);
  expect([status, lastActivityAt]).toEqual(["OPEN", then.lastActivityAt]);
  const mails = (await t.mailTo(reporter.email)).filter(({ subject }) => subject.includes("#"));
  expect(mails).toEqual([]);
  const events = await t.sql("SELECT FROM audit_events WHERE target_id = $1", [id]);
  expect(events).toEqual([]);
});

test("`internal` must be a boolean, and is accepted only from staff", async () => {
  const { id, reporter } = await reported(d);
  const path = `${ORGANIZATION_TICKETS}/${id}/messages`;
  for (const internal of ["yes", "1", "", "TRUE", "null"]) {
    const form = formOf(fields({ message: "Hello", internal }));
    expect(messages(await d.org.admin.post(path, undefined, form))).toEqual([
      "internal must be a boolean value",
    ]);
  }
  for (const internal of ["true", 1, null])
    expect(messages(await d.org.admin.post(path, { message: "Hello", internal }))).toEqual([
      "internal must be a boolean value",
    ]);
  for (const internal of ["true", "false"]) {
    const form = formOf(fields({ message: "Hello", internal }));
    const response = await d.org.admin.post(path, undefined, form);
    expect(expectStatus(response, 201).body).toMatchObject({ internal: internal === "true", asStaff: true });
    const own = `${OWN_TICKETS}/${id}/messages`;
    const refused = [
      await reporter.post(own, undefined, form),
      await reporter.post(own, { message: "Hello", internal: internal === "true" }),
    ];
    for (const one of refused) expect(messages(one)).toEqual(["property internal should not exist"]);
  }
  expect((await d.org.admin.post(path, { message: "Public" })).body.internal).toBe(false);
});

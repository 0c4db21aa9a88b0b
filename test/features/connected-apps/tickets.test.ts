import { expect, test } from "bun:test";
import { connectApp } from "../../support/apps.ts";
import type { Caller } from "../../support/caller.ts";
import {
  download,
  ORGANIZATION_TICKETS,
  OWN_TICKETS,
  PLATFORM_TICKETS,
  report,
  withImages,
} from "../../support/helpdesk.ts";
import { pngWith } from "../../support/images.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService({ OAUTH_APPS: "any" });

const connect = async (org: Organization, person: Caller): Promise<Caller> =>
  (await connectApp(t, org, person, { clientName: "Claude Code" })).app;

type Message = { body: string; via: { name: string } | null };
const messagesFor = async (who: Caller, place: string, id: string) =>
  expectStatus(await who.get(`${place}/${id}`), 200).body.messages.map(({ body, via }: Message) => [
    body,
    via,
  ]);
const say = (who: Caller, id: string, message: string, internal = false) =>
  who.post(`${ORGANIZATION_TICKETS}/${id}/messages`, { message, internal });

test("a message that an app wrote names the app, for everybody who may read it (rules 46.73)", async () => {
  const org = await createOrganization(t);
  const reporter = await org.member();
  const platform = await t.platformAdmin();
  const app = await connect(org, org.admin);
  const { id } = await report(reporter);
  const via = { name: "Claude Code" };
  expect(expectStatus(await say(app, id, "By the app"), 201).body.via).toEqual(via);
  expectStatus(await say(app, id, "Note of the app", true), 201);
  expectStatus(await say(org.admin, id, "By the person"), 201);
  const first = ["Since this morning.", null];
  const all = [first, ["By the app", via], ["Note of the app", via], ["By the person", null]];
  expect(await messagesFor(reporter, OWN_TICKETS, id)).toEqual([
    first,
    ["By the app", via],
    ["By the person", null],
  ]);
  expect(await messagesFor(org.admin, ORGANIZATION_TICKETS, id)).toEqual(all);
  expect(await messagesFor(app, ORGANIZATION_TICKETS, id)).toEqual(all);
  expect(await messagesFor(platform, PLATFORM_TICKETS, id)).toEqual(all);
  const { data } = expectStatus(await reporter.get(`${OWN_TICKETS}/${id}/messages`), 200).body;
  expect(data.map((message: Message) => message.via)).toEqual([null, via, null]);
});

test("an app's reply with an image is read by the reporter, and the app reads images as staff only", async () => {
  const org = await createOrganization(t);
  const reporter = await org.member();
  const app = await connect(org, org.admin);
  const { id } = await report(reporter);
  const path = `${ORGANIZATION_TICKETS}/${id}/messages`;
  const reply = expectStatus(
    await app.post(path, undefined, withImages({ message: "See" }, [pngWith()])),
    201,
  ).body;
  const [image] = reply.attachments;
  expect((await download(reporter, image.id)).status).toBe(200);
  expect((await download(app, image.id)).status).toBe(200);
  const { app: other } = await connectApp(t, org, org.admin, { scopes: ["todos:read"] });
  const lacking = await other.get(`/api/support/attachments/${image.id}`);
  expect(outcome(lacking)).toBe("403 INSUFFICIENT_SCOPE");
  expect(lacking.headers.get("www-authenticate")).toContain('scope="helpdesk:read"');
  // What the person reported outside of the grant's organization is not the app's to read.
  const elsewhere = await createOrganization(t, "Elsewhere");
  const own = await report(elsewhere.admin, {}, [pngWith()]);
  const [theirs] = own.messages[0]?.attachments ?? [];
  await org.addUser(idOf(elsewhere.admin), { role: "ORG_ADMIN" });
  const narrow = await connect(org, elsewhere.admin);
  expect((await download(elsewhere.admin, theirs?.id ?? "")).status).toBe(200);
  expect((await download(narrow, theirs?.id ?? "")).status).toBe(404);
});

test("the messages of an app count for its grant, those of its person for the person (rules 46.74)", async () => {
  const org = await createOrganization(t);
  const { id } = await report(await org.member());
  const [app, other] = [await connect(org, org.admin), await connect(org, org.admin)];
  for (let count = 0; count < 30; count += 1) expectStatus(await say(app, id, `Number ${count}`), 201);
  expect(outcome(await say(app, id, "Too many"))).toBe("429 TOO_MANY_REQUESTS");
  for (const who of [other, org.admin]) expectStatus(await say(who, id, "Still possible"), 201);
});

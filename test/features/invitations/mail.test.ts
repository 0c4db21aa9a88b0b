import { expect, test } from "bun:test";
import { tokenHash } from "../../../src/platform/crypto.ts";
import { until } from "../../support/cluster.ts";
import {
  accept,
  INVITATIONS,
  invite,
  invited,
  NEW_ACCOUNT,
  resend,
  revoke,
  settle,
  tokenFor,
} from "../../support/invitations.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn } from "../../support/outcomes.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";

const t = await startService();

const SENTENCES = {
  en: {
    named: "Grace Hopper has invited you to join Analytical Engines.",
    unnamed: "You have been invited to join Analytical Engines.",
  },
  el: {
    named: "Grace Hopper σας προσκαλεί να συμμετάσχετε στον οργανισμό Analytical Engines.",
    unnamed: "Έχετε προσκληθεί να συμμετάσχετε στον οργανισμό Analytical Engines.",
  },
};
/** Sets or removes an account's name; accounts of identity providers may have none. */
const call = (email: string, firstName: string, lastName: string) =>
  t.sql("UPDATE users SET first_name = $2, last_name = $3 WHERE email = $1", [email, firstName, lastName]);
const newest = async (email: string) => (await t.mailTo(email)).at(-1);

for (const language of ["en", "el"] as const)
  test(`an invitation mail in ${language} names the organization, and the inviter if the account has a name`, async () => {
    const org = await createOrganization(t, "Analytical Engines");
    for (const [first, last, sentence] of [
      ["Grace", "Hopper", SENTENCES[language].named],
      ["Grace Hopper", "", SENTENCES[language].named],
      ["", "Grace Hopper", SENTENCES[language].named],
      ["", "", SENTENCES[language].unnamed],
    ] as const) {
      await call(org.admin.email, first, last);
      const email = uniqueEmail();
      expectStatus(await invite(org.admin, { email, language }), 201);
      const mail = await newest(email);
      for (const part of [mail?.text, mail?.html]) expect(part).toContain(sentence);
      expect(mail?.subject).toContain("Analytical Engines");
    }
  });

test("the mail of a resent invitation names the user who resent it; an owner's invitation names the platform administrator", async () => {
  const org = await createOrganization(t, "Analytical Engines");
  const platform = await t.platformAdmin();
  await call(platform.email, "Grace", "Hopper");
  const invitation = await invited(t, org.admin);
  expect((await newest(invitation.email))?.text).toContain("Ada Lovelace has invited you to join");
  await settle(t, invitation);
  expectStatus(await resend(platform, invitation.id, actingIn(org)), 204);
  expect((await newest(invitation.email))?.text).toContain(SENTENCES.en.named);

  const ownerEmail = uniqueEmail();
  const body = { name: "Analytical Engines", ownerEmail };
  expectStatus(await platform.post("/api/organizations", body), 201);
  expect((await newest(ownerEmail))?.text).toContain(SENTENCES.en.named);
});

const [instance] = await t.cluster(1);
if (instance === undefined) throw new Error("No instance");
const { url, log } = instance;

/** Returns all tables of the service and the job queue that contain one of these strings. */
async function tablesWith(...texts: string[]): Promise<string[]> {
  const tables = await t.sql<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema IN ('public', 'pgboss') AND table_type = 'BASE TABLE'`,
  );
  expect(tables.map(({ name }) => name)).toContain("pgboss.job");
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = `SELECT FROM ${name} AS r, unnest($1::text[]) AS wanted WHERE position(wanted IN r::text) > 0 LIMIT 1`;
    if ((await t.sql(rows, [texts])).length > 0) found.push(name);
  }
  return found;
}

test("the token of an invitation link is only in its mail, not in any response, table, job or log", async () => {
  const org = await createOrganization(t);
  const admin = org.admin.at(url);
  const anonymous = t.anonymous(url);
  const email = uniqueEmail();
  const responses = [expectStatus(await invite(admin, { email }), 201)];
  const { id } = responses[0]?.body ?? {};
  const first = await tokenFor(t, email);
  await settle(t, { id });
  responses.push(expectStatus(await resend(admin, id), 204));
  const second = await tokenFor(t, email);
  expect([first.length, second.length, first === second]).toEqual([43, 43, false]);

  const previewInvitation = (token: string) => anonymous.get(`/api/auth/invitation?token=${token}`);
  responses.push(
    expectStatus(await previewInvitation(first), 400),
    expectStatus(await previewInvitation(second), 200),
  );
  responses.push(expectStatus(await accept(anonymous, { token: first, ...NEW_ACCOUNT }), 400));
  responses.push(expectStatus(await accept(anonymous, { token: second, password: "short" }), 400));
  responses.push(expectStatus(await accept(anonymous, { token: second }), 401));
  responses.push(expectStatus(await admin.get(INVITATIONS), 200));
  responses.push(expectStatus(await accept(anonymous, { token: second, ...NEW_ACCOUNT }), 204));
  responses.push(expectStatus(await revoke(admin, id), 404));

  for (const token of [first, second]) {
    for (const { body, headers } of responses) {
      const said = JSON.stringify(body) + JSON.stringify([...headers]);
      expect(said).not.toContain(token);
      expect(said).not.toContain(tokenHash(token));
    }
  }
  expect(await tablesWith(first, second)).toEqual([]);
  // Only the digest of the current link is stored; the digest of the earlier link was replaced.
  expect(await tablesWith(tokenHash(second))).toEqual(["public.user_invitations"]);
  expect(await tablesWith(tokenHash(first))).toEqual([]);
  // Proves that tablesWith finds stored values.
  expect(await tablesWith(email)).toContain("public.audit_events");

  await anonymous.get("/api/health/live", { headers: { "x-request-id": "the-last-one" } });
  await until(() => (log().some((line) => line.includes("the-last-one")) ? true : null));
  const lines = log().join("\n");
  expect(lines).toContain("/api/auth/invitation?token=");
  for (const secret of [first, second, tokenHash(first), tokenHash(second), email])
    expect(lines.includes(secret)).toBe(false);
});

test("an invitation's mail job contains no readable name or link before it is done", async () => {
  const org = await createOrganization(t, "The name of nobody else");
  const email = uniqueEmail();
  await t.drain();
  expectStatus(await invite(org.admin, { email }), 201);
  const jobs = await t.sql<{ data: Record<string, string> }>(
    "SELECT data FROM pgboss.job WHERE data ->> 'label' = 'invitation' ORDER BY created_on DESC LIMIT 1",
  );
  expect(Object.keys(jobs[0]?.data ?? {}).toSorted()).toEqual(["label", "requestId", "sealed"]);
  for (const text of [email, "The name of nobody else", "accept-invitation"])
    expect(JSON.stringify(jobs[0])).not.toContain(text);
  await t.drain();
});

import { expect, test } from "bun:test";
import type { ApiResponse } from "../support/caller.ts";
import { invite, invited, resend, revoke, settle } from "../support/invitations.ts";
import { createOrganization, type Organization } from "../support/organizations.ts";
import { actingIn, outcome } from "../support/outcomes.ts";
import { race } from "../support/race.ts";
import { expectStatus, startService, uniqueEmail } from "../support/service.ts";

const t = await startService();
const [other] = await t.cluster(1);

const tooMany = "429 TOO_MANY_REQUESTS";
const times = (count: number, word: string) => Array<string>(count).fill(word);
const outcomes = (answers: ApiResponse[]) => answers.map(outcome).sort();
const founded = (count: number) => Promise.all(Array.from({ length: count }, () => createOrganization(t)));
/** Every other call goes to the other process. */
const asks = ({ admin }: Organization, email: string, index: number) =>
  invite(index % 2 ? admin.at(other?.url ?? "") : admin, { email });
const mails = async (email: string) => (await t.mailTo(email)).length;
const retryAfter = (answer: ApiResponse) => Number(answer.headers.get("retry-after"));

test("of 30 concurrent invitations from one organization to one address 10 are sent, and the next in an hour", async () => {
  const [org, email] = [await createOrganization(t), uniqueEmail()];
  const answers = await race(30, (index) => asks(org, email, index));
  expect(outcomes(answers)).toEqual([...times(10, "201"), ...times(20, tooMany)]);
  for (const answer of answers.filter(({ status }) => status === 429))
    expect(retryAfter(answer)).toBeWithin(3_500, 3_601);
  expect(await mails(email)).toBe(10);
  expect(outcome(await asks(org, uniqueEmail(), 0))).toBe("201");

  await t.age("user_invitation_sends", { organization_id: org.id }, { minutes: 59 });
  expect(outcome(await asks(org, email, 0))).toBe(tooMany);
  await t.age("user_invitation_sends", { organization_id: org.id }, { minutes: 1 });
  expect(outcome(await asks(org, email, 0))).toBe("201");
});

test("of 30 concurrent invitations from fifteen organizations to one address 20 are sent in a day", async () => {
  const [organizations, email] = [await founded(15), uniqueEmail()];
  const answers = await race(30, (index) => asks(organizations[index % 15] as Organization, email, index));
  expect(outcomes(answers)).toEqual([...times(20, "201"), ...times(10, tooMany)]);
  for (const answer of answers.filter(({ status }) => status === 429))
    expect(retryAfter(answer)).toBeWithin(86_000, 86_401);
  expect(await mails(email)).toBe(20);

  const fresh = await createOrganization(t);
  expect(outcome(await asks(fresh, email.toUpperCase(), 0))).toBe(tooMany);
  expect(outcome(await asks(fresh, uniqueEmail(), 0))).toBe("201");
  await t.age("user_invitation_sends", { email }, { hours: 23 });
  expect(retryAfter(await asks(fresh, email, 0))).toBeWithin(3_000, 3_601);
  await t.age("user_invitation_sends", { email }, { hours: 1 });
  expect(outcome(await asks(fresh, email, 0))).toBe("201");
});

test("superseding, inviting after a revocation and resending count alike", async () => {
  const [org, email] = [await createOrganization(t), uniqueEmail()];
  let invitation = await invited(t, org.admin, { email });
  for (let count = 1; count < 10; count += 1) {
    await settle(t, invitation);
    if (count % 3 === 0) expectStatus(await resend(org.admin, invitation.id), 204);
    else {
      if (count % 3 === 1) expectStatus(await revoke(org.admin, invitation.id), 204);
      invitation = await invited(t, org.admin, { email });
    }
  }
  expect(outcome(await asks(org, email, 0))).toBe(tooMany);
  await settle(t, invitation);
  expect(outcome(await resend(org.admin, invitation.id))).toBe(tooMany);
  expect(await mails(email)).toBe(10);
});

test("platform administrators have no limit per address, but their invitations count for the others", async () => {
  const [org, platform, email] = [await createOrganization(t), await t.platformAdmin(), uniqueEmail()];
  for (let count = 0; count < 12; count += 1)
    expectStatus(await invite(platform, { email, ...actingIn(org) }), 201);
  expect(outcome(await asks(org, email, 0))).toBe(tooMany);
  expectStatus(await platform.post("/api/organizations", { name: "Acme", ownerEmail: email }), 201);
  expect(await mails(email)).toBe(13);
});

test("invitations refused for another reason do not count", async () => {
  const [org, email] = [await createOrganization(t), uniqueEmail()];
  for (let count = 0; count < 12; count += 1)
    expect(outcome(await invite(org.admin, { email, roles: [{ role: crypto.randomUUID() }] }))).toBe(
      "400 VALIDATION_FAILED",
    );
  expect(outcome(await asks(org, email, 0))).toBe("201");
});

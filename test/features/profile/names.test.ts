import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { accept, invited } from "../../support/invitations.ts";
import { holdEvents } from "../../support/locks.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* Each test fails if src/features/profile/service.ts does not lock the user. */
const t = await startService();
const rename = (person: Caller, lastName: string) => person.patch("/api/profile", { lastName });

test("a user who changes their name while accepting an invitation is found in the organization by the new name", async () => {
  const org = await createOrganization(t);
  const person = await t.person();
  const { token } = await invited(t, org.admin, { email: person.email });
  const events = await holdEvents(t);
  const accepted = accept(person, { token });
  await events.waiting(1);
  const renamed = rename(person, "Zuckerwatte");
  // The change waits for the acceptance. Without the lock it would finish first.
  await Promise.race([renamed, events.waiting(2)]);
  await events.release();
  expectStatus(await accepted, 204);
  expectStatus(await renamed, 200);
  const found = expectStatus(await org.admin.get("/api/members?search=zuckerwatte"), 200).body;
  expect(found.data.map((member: { lastName: string }) => member.lastName)).toEqual(["Zuckerwatte"]);
});

test("a change of the name takes the user's lock before it locks a row, so it cannot deadlock with the account's deletion", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  const events = await holdEvents(t);
  const deleted = person.post("/api/profile/delete", { password: person.account.password });
  await events.waiting(1);
  const renamed = rename(person, "Zuckerwatte");
  // Waiting for "transactionid" would mean a row lock of the other transaction, and so a deadlock.
  expect(await events.waiting(2)).toEqual(["relation", "advisory"]);
  await events.release();
  expectStatus(await deleted, 204);
  expectStatus(await renamed, 401);
});

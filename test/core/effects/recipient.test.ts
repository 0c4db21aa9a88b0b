import { expect, test } from "bun:test";
import { systemCall } from "../../../src/core/context.ts";
import { findRecipient } from "../../../src/core/effects/mail.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

test("a recipient is a member of the organization, with email and language, until they leave", async () => {
  const org = await createOrganization(t);
  const member = await org.member({ role: "MEMBER" });
  expectStatus(await member.patch("/api/profile", { language: "el" }), 200);
  const id = await userIdOf(t, member);
  const { db } = systemCall(t.running);
  const find = (organizationId: string) => findRecipient({ organizationId, db: db.writes }, id);
  expect(await find(org.id)).toEqual({ id, email: member.email, language: "el" });
  expect(await find((await createOrganization(t)).id)).toBeNull();
  expectStatus(await org.admin.delete(`/api/members/${id}`), 204);
  expect(await find(org.id)).toBeNull();
});

import { expect, test } from "bun:test";
import { type Caller, claimsOf } from "../../support/caller.ts";
import { eventsAbout } from "../../support/events.ts";
import {
  acceptAs,
  acceptNew,
  listed,
  NEW_ACCOUNT,
  previewInvitation,
  storeAccount,
  tokenFor,
} from "../../support/invitations.ts";
import { createOrganization, roleId } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";

const t = await sharedService();

const create = (admin: Caller, body: Record<string, unknown>) => admin.post("/api/organizations", body);
const uniqueSlug = () => `acme-${crypto.randomUUID().slice(0, 8)}`;
/** Returns the number of organizations, invitations, invitation mails, audit events and jobs. */
const traces = async () =>
  (
    await t.sql(
      `SELECT (SELECT count(*) FROM organizations)::int AS organizations,
         (SELECT count(*) FROM user_invitations)::int AS invitations,
         (SELECT count(*) FROM user_invitation_sends)::int AS sends,
         (SELECT count(*) FROM audit_events WHERE action <> 'LOGIN_SUCCEEDED')::int AS events,
         (SELECT count(*) FROM pgboss.job)::int AS jobs`,
    )
  )[0];

test("a platform administrator creates an organization and invites its first administrator", async () => {
  const admin = await t.platformAdmin();
  const [slug, ownerEmail] = [uniqueSlug(), uniqueEmail()];
  const { body } = expectStatus(await create(admin, { name: " Acme ", slug, ownerEmail }), 201);
  expect(body).toEqual({
    id: expect.any(String),
    name: "Acme",
    slug,
    status: "ACTIVE",
    defaultRoleId: null,
    connectedApps: "approved",
    createdAt: expect.any(String),
    plan: null,
    memberCount: 0,
  });
  expect((await admin.get(`/api/organizations/${body.id}`)).body).toEqual(body);

  const { data, total } = await listed(admin, "", actingIn(body));
  expect(total).toBe(1);
  expect(data[0]).toMatchObject({
    email: ownerEmail,
    language: "en",
    assignments: [{ role: { id: roleId("ORG_ADMIN"), name: "ORG_ADMIN" }, unit: null, source: "manual" }],
    invitedBy: { id: idOf(admin), email: admin.email },
    expired: false,
  });
  expect(await eventsAbout(t, body.id)).toMatchObject([
    { action: "ORGANIZATION_CREATED", actor_id: idOf(admin), organization_id: null },
  ]);
  expect(await eventsIn(t, body, "")).toMatchObject([
    { action: "USER_INVITED", target_id: data[0]?.id, metadata: { email: ownerEmail, supersededId: null } },
  ]);

  const token = await tokenFor(t, ownerEmail);
  expect((await previewInvitation(t, token)).body).toMatchObject({
    organization: { name: "Acme" },
    accountExists: false,
  });
  expectStatus(await acceptNew(t, token), 204);
  const owner = t.anonymous();
  owner.account.email = ownerEmail;
  expectStatus(await owner.login(NEW_ACCOUNT.password), 200);
  expect(claimsOf(owner.accessToken ?? "")).toMatchObject({
    organization: { id: body.id, name: "Acme", slug },
    roles: ["ORG_ADMIN"],
  });
  expect((await admin.get(`/api/organizations/${body.id}`)).body.memberCount).toBe(1);
});

test("the owner's invitation mail is in the requested language, or else in the platform administrator's", async () => {
  const admin = await t.platformAdmin();
  await t.sql("UPDATE users SET language = 'EL' WHERE id = $1", [idOf(admin)]);
  for (const [language, subject] of [
    [undefined, "Πρόσκληση στον οργανισμό Acme"],
    ["en", "You are invited to Acme"],
  ] as const) {
    const ownerEmail = uniqueEmail();
    expectStatus(await create(admin, { name: "Acme", ownerEmail, ...(language && { language }) }), 201);
    expect((await t.mailTo(ownerEmail)).map((mail) => mail.subject)).toEqual([subject]);
  }
});

test("the owner of a new organization can get any built-in roles; it has no custom roles yet", async () => {
  const admin = await t.platformAdmin();
  const [unitAdmin, member] = [roleId("UNIT_ADMIN"), roleId("MEMBER")];
  const ownerRoleIds = [unitAdmin, member, unitAdmin];
  const body = { name: "Acme", ownerEmail: uniqueEmail() };
  const made = expectStatus(await create(admin, { ...body, ownerRoleIds }), 201).body;
  const [row] = (await listed(admin, "", actingIn(made))).data;
  expect(row?.assignments.map(({ role, unit }) => [role.name, unit])).toEqual([
    ["MEMBER", null],
    ["UNIT_ADMIN", null],
  ]);

  const elsewhere = await (await createOrganization(t)).role("Theirs");
  const before = await traces();
  const refused = await create(admin, { ...body, ownerRoleIds: [member, elsewhere, crypto.randomUUID()] });
  expect(outcome(refused)).toBe("400 VALIDATION_FAILED");
  expect(refused.body.errors.map(({ path }: { path: string }) => path)).toEqual([
    "ownerRoleIds.1",
    "ownerRoleIds.2",
  ]);
  expect(messages(refused)[0]).toBe("ownerRoleIds.1 must be an existing role");
  expect(outcome(await create(admin, { ...body, ownerRoleIds: [] }))).toBe("400 VALIDATION_FAILED");
  expect(await traces()).toEqual(before);
});

test("the slug of a new organization is derived from its name unless one is sent; only a sent slug can be SLUG_TAKEN", async () => {
  const admin = await t.platformAdmin();
  const name = `Ψάρι & ${crypto.randomUUID().slice(0, 8)}`;
  const make = (more = {}) => create(admin, { name, ownerEmail: uniqueEmail(), ...more });
  const { slug } = expectStatus(await make(), 201).body;
  expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  expect((await make()).body.slug).toBe(`${slug}-2`);

  const before = await traces();
  expect(outcome(await make({ slug }))).toBe("409 SLUG_TAKEN");
  for (const wrong of ["a", "A-b", "a--b", "-ab", "x".repeat(64)])
    expect(outcome(await make({ slug: wrong }))).toBe("400 VALIDATION_FAILED");
  expect(await traces()).toEqual(before);
});

test("for a new organization, an unknown owner role is reported before a taken slug", async () => {
  const admin = await t.platformAdmin();
  const slug = uniqueSlug();
  const body = { name: "Acme", slug, ownerEmail: uniqueEmail() };
  expectStatus(await create(admin, body), 201);
  const refused = await create(admin, { ...body, ownerRoleIds: [crypto.randomUUID()] });
  expect(outcome(refused)).toBe("400 VALIDATION_FAILED");
});

test("a new organization is refused if the owner's account is deleted, and nothing is created", async () => {
  const admin = await t.platformAdmin();
  const [slug, ownerEmail] = [uniqueSlug(), uniqueEmail()];
  await storeAccount(t, ownerEmail, { isDeleted: true });
  const before = await traces();
  const refused = await create(admin, { name: "Acme", slug, ownerEmail: ownerEmail.toUpperCase() });
  expect(outcome(refused)).toBe("409 EMAIL_UNAVAILABLE");
  expect(await traces()).toEqual(before);
  expect(await t.mailTo(ownerEmail)).toEqual([]);
  expectStatus(await create(admin, { name: "Acme", slug, ownerEmail: uniqueEmail() }), 201);
});

test("an owner with an existing account accepts the invitation with that account", async () => {
  const [admin, owner] = [await t.platformAdmin(), await t.person()];
  const { id } = expectStatus(await create(admin, { name: "Acme", ownerEmail: owner.email }), 201).body;
  const token = await tokenFor(t, owner.email);
  expect((await previewInvitation(t, token)).body.accountExists).toBe(true);
  expectStatus(await acceptAs(owner, token), 204);
  expectStatus(await owner.refresh(), 200);
  expect(claimsOf(owner.accessToken ?? "")).toMatchObject({ organization: { id }, roles: ["ORG_ADMIN"] });
});

test("only current platform administrators create organizations for others", async () => {
  const [org, demoted] = [await createOrganization(t), await t.platformAdmin()];
  await t.sql("UPDATE users SET is_platform_admin = false WHERE email = $1", [demoted.email]);
  const body = { name: "Acme", ownerEmail: uniqueEmail() };
  const before = await traces();
  expect(outcome(await create(t.anonymous(), body))).toBe("401 UNAUTHENTICATED");
  expect(outcome(await create(org.admin, { wrong: 1 }))).toBe("403 PLATFORM_ADMIN_REQUIRED");
  expect(outcome(await create(demoted, body))).toBe("403 FORBIDDEN");
  expect(await traces()).toEqual(before);
});

test("all errors of a new organization are returned at once", async () => {
  const admin = await t.platformAdmin();
  const refused = await create(admin, {
    name: " ",
    ownerEmail: "nobody",
    ownerRoleIds: ["x"],
    language: "fr",
    status: "ACTIVE",
  });
  expect(messages(refused).toSorted()).toEqual([
    "language must be one of the following values: el, en",
    "name should not be empty",
    "ownerEmail must be an email",
    "ownerRoleIds.0 must be a UUID",
    "property status should not exist",
  ]);
});

import { expect, test } from "bun:test";
import { join } from "node:path";
import { readSection } from "../../../src/platform/environment.ts";
import { smtpConfig } from "../../../src/platform/mail/config.ts";
import { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();
const PERSON = { password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
/** Domains in Unicode with their A-labels; the names of one test are on domains of their own. */
const DOMAINS: [typed: string, ascii: string][] = [
  ["münchen.example", "xn--mnchen-3ya.example"],
  ["MÜNCHEN.Example", "xn--mnchen-3ya.example"],
  ["mu\u0308nchen。example", "xn--mnchen-3ya.example"],
  ["παράδειγμα.example", "xn--hxajbheg2az3al.example"],
  ["пример.xn--e1afmkfd", "xn--e1afmkfd.xn--e1afmkfd"],
  ["mail.faß.example", "mail.xn--fa-hia.example"],
];
const local = () => `a${crypto.randomUUID().slice(0, 8)}`;
/** Returns an address of one account: as a person types it, and as it is stored. */
function address(domain = "münchen.example", ascii = "xn--mnchen-3ya.example") {
  const name = local();
  return { typed: `${name.toUpperCase()}@${domain}`, stored: `${name}@${ascii}` };
}

test.each(DOMAINS)(
  "an email at %s is registered, mailed, signed in and returned with its A-labels",
  async (domain, ascii) => {
    const { typed, stored } = address(domain, ascii);
    const response = await t.anonymous().post("/api/auth/register", { ...PERSON, email: ` ${typed} ` });
    expect([response.status, response.body.email]).toEqual([202, stored]);
    const again = { ...PERSON, email: stored };
    expect((await t.anonymous().post("/api/auth/register", again)).body.code).toBe("EMAIL_TAKEN");
    expectStatus(await t.anonymous().post("/api/auth/resend-verification", { email: typed }), 202);
    const { token } = await t.linkTo(stored, "/verify-email");
    expectStatus(await t.anonymous().post("/api/auth/verify-email", { token }), 204);
    const caller = new Caller(t.url, { email: typed, password: PERSON.password });
    await caller.login();
    expect((await caller.get("/api/profile")).body.email).toBe(stored);
    expectStatus(await t.anonymous().post("/api/auth/forgot-password", { email: typed }), 202);
    await t.linkTo(stored, "/reset-password");
  },
);

test("invitations, owners of organizations and new emails of accounts take domains in Unicode", async () => {
  const { admin } = await createOrganization(t);
  const [invited, owner, changed] = [
    address(),
    address("παράδειγμα.example", "xn--hxajbheg2az3al.example"),
    address("faß.example", "xn--fa-hia.example"),
  ];
  const { data: roles } = (await admin.get("/api/roles")).body;
  const assignments = [{ roleId: roles[0].id, unitId: null }];
  const invitation = await admin.post("/api/members/invitations", { email: invited.typed, assignments });
  expect([invitation.status, invitation.body.email]).toEqual([201, invited.stored]);
  const platform = await t.platformAdmin();
  const founded = { name: "Acme", ownerEmail: owner.typed };
  expectStatus(await platform.post("/api/organizations", founded), 201);
  await t.linkTo(owner.stored, "/accept-invitation");
  const person = await t.registeredPerson();
  const change = await person.post("/api/profile/email", { email: changed.typed });
  expect([change.status, change.body.email]).toEqual([202, changed.stored]);
});

test("a search by an email with a domain in Unicode finds its rows in every list of people", async () => {
  const { typed, stored } = address();
  const org = await createOrganization(t);
  expectStatus(await t.anonymous().post("/api/auth/register", { ...PERSON, email: typed }), 202);
  const { token } = await t.linkTo(stored, "/verify-email");
  expectStatus(await t.anonymous().post("/api/auth/verify-email", { token }), 204);
  const { data: roles } = (await org.admin.get("/api/roles")).body;
  const assignments = [{ roleId: roles[0].id, unitId: null }];
  expectStatus(await org.admin.post("/api/members/invitations", { email: typed, assignments }), 201);
  const search = `?search=${encodeURIComponent(typed)}`;
  expect((await org.admin.get(`/api/members/invitations${search}`)).body.total).toBe(1);
  const caller = new Caller(t.url, { email: typed, password: PERSON.password });
  await caller.login();
  const link = await t.linkTo(stored, "/accept-invitation");
  expectStatus(await caller.post("/api/auth/accept-invitation", { token: link.token }), 204);
  await caller.login();
  const ticket = { subject: "Empty", category: "BUG", message: "Since today." };
  expectStatus(await caller.post("/api/support/tickets", ticket), 201);
  const platform = await t.platformAdmin();
  for (const [reader, path] of [
    [org.admin, "/api/members"],
    [org.admin, "/api/organization/helpdesk/tickets"],
    [org.admin, "/api/organization/audit-events"],
    [platform, "/api/users"],
    [platform, "/api/helpdesk/tickets"],
    [platform, "/api/audit-events"],
  ] as const) {
    const { body } = await reader.get(path + search);
    expect([path, body.data.length > 0]).toEqual([path, true]);
  }
});

test("`.invalid` in any form, characters beyond ASCII before the @, and domains that no A-label stands for are no emails", async () => {
  const domains = [
    ...[
      "münchen.invalid",
      "münchen.ＩＮＶＡＬＩＤ",
      "münchen。ınvalid\u200b",
      "xn--mnchen-3ya.invalid",
      "ünvalid",
    ],
    ...[
      "\u212aelvin.example",
      "ｅｘａｍｐｌｅ.com",
      "exa\u00admple.com",
      "exam\u200bple.com",
      "example.com\u200e",
    ],
    ...["-münchen.example", "münchen-.example", "mün_chen.example", "mün chen.example", "münchen..example"],
    ...["mün/chen.example", "münchen.example:25", "münchen.example.", "münchen.1", "m\u202eünchen.example"],
    ...[`${"ü".repeat(64)}.example`],
  ];
  const emails = [
    ...domains.map((domain) => `ada@${domain}`),
    ...["ädä@münchen.example", "ada\u200b@münchen.example", "\u212aate@münchen.example"],
  ];
  for (const email of emails) {
    const { status, body } = await t.anonymous().post("/api/auth/register", { ...PERSON, email });
    expect([email, status, body.code]).toEqual([email, 400, "VALIDATION_FAILED"]);
  }
});

test("a password must not be the email, also not with its domain in Unicode", async () => {
  const { typed } = address();
  const body = { ...PERSON, email: typed, password: typed };
  expect((await t.anonymous().post("/api/auth/register", body)).body.errors).toEqual([
    { path: "password", message: "password must not be the email address" },
  ]);
});

test("`bun run admin` takes an email with a domain in Unicode", async () => {
  const { typed, stored } = address();
  const admin = Bun.spawn(["bun", join(import.meta.dir, "../../../src/admin.ts"), typed], {
    env: { ...t.environment, PATH: process.env.PATH },
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await admin.stdout.text()).toStartWith(`${stored} is a platform administrator`);
  expect(await admin.exited).toBe(0);
});

test("MAIL_FROM with a domain in Unicode is sent with its A-labels", () => {
  const from = (value: string) =>
    readSection(smtpConfig, { MAIL_FROM: value, SMTP_HOST: "localhost", SMTP_PORT: "25" }).config?.from;
  expect(from("no-reply@münchen.example")).toBe("no-reply@xn--mnchen-3ya.example");
  expect(from('"Büro @ Acme" <no-reply@münchen.example>')).toBe(
    '"Büro @ Acme" <no-reply@xn--mnchen-3ya.example>',
  );
  expect(from("Ακμή <no-reply@acme.example>")).toBe("Ακμή <no-reply@acme.example>");
});

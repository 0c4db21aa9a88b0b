import { expect, test } from "bun:test";
import { join } from "node:path";
import { invite } from "../../support/invitations.ts";
import { browser, sharedOidc } from "../../support/oidc.ts";
import { createOrganization } from "../../support/organizations.ts";
import { messages, outcome } from "../../support/outcomes.ts";

const { t, oidc } = await sharedOidc();
const ADDRESSES = [`deleted-${crypto.randomUUID()}@deleted.invalid`, "Ada@mail.example.INVALID "];
const PASSWORD = "wide blue yonder";

test("an email address under .invalid is rejected on every route that accepts an email", async () => {
  const { admin } = await createOrganization(t);
  const root = await t.platformAdmin();
  const anonymous = t.anonymous();
  const person = { password: PASSWORD, firstName: "Ada", lastName: "Lovelace" };
  for (const email of ADDRESSES) {
    const responses = [
      await anonymous.post("/api/auth/register", { email, ...person }),
      await anonymous.post("/api/auth/login", { email, password: PASSWORD }),
      await anonymous.post("/api/auth/forgot-password", { email }),
      await anonymous.post("/api/auth/resend-verification", { email }),
      await invite(admin, { email }),
      await admin.post("/api/profile/email", { email }),
      await admin.post("/api/organization/sign-on/setup-links", { email, what: ["domains"] }),
      await anonymous.post("/api/auth/sso/discover", { email }),
    ];
    for (const response of responses)
      expect([outcome(response), messages(response)]).toEqual([
        "400 VALIDATION_FAILED",
        ["email must be an email"],
      ]);
    const founded = await root.post("/api/organizations", { name: "Acme", ownerEmail: email });
    expect(messages(founded)).toEqual(["ownerEmail must be an email"]);
  }
});

test("every email in a request body is checked for the .invalid domain", async () => {
  const { body } = await t.anonymous().get("/api/docs-json");
  const emails: string[] = [];
  for (const [name, schema] of Object.entries<{ properties?: Record<string, { format?: string }> }>(
    body.components.schemas,
  ))
    for (const [key, { format }] of Object.entries(schema.properties ?? {}))
      if (name.endsWith("Body") && (/email/i.test(key) || format === "email")) emails.push(`${name}.${key}`);
  // Add each new body with an email to the test above.
  expect(emails.sort()).toEqual([
    "ChangeEmailBody.email",
    "CreateOrganizationBody.ownerEmail",
    "CreateSetupLinkBody.email",
    "DiscoverConnectionBody.email",
    "EmailBody.email",
    "InviteBody.email",
    "LoginBody.email",
    "RegisterBody.email",
  ]);
});

test("an identity provider's account with an address under .invalid counts as one without an email", async () => {
  const subject = oidc.person({ email: ADDRESSES[0] });
  expect(await browser(t, oidc).signIn(subject)).toEqual({ error: "EMAIL_NOT_VERIFIED" });
  expect(await t.sql("SELECT FROM users WHERE email = $1", [ADDRESSES[0]])).toEqual([]);
});

test("`bun run admin` refuses an address under .invalid", async () => {
  const child = Bun.spawn(["bun", join(import.meta.dir, "../../../src/admin.ts"), ADDRESSES[0] ?? ""], {
    env: { PATH: process.env.PATH, ...t.environment },
    stdout: "ignore",
    stderr: "pipe",
  });
  expect(await child.stderr.text()).toContain("is no email address");
  expect(await child.exited).toBe(1);
});

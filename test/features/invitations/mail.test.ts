import { expect, test } from "bun:test";
import { invite, invited, resend, settle } from "../../support/invitations.ts";
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

import { expect, test } from "bun:test";
import { invite } from "../support/invitations.ts";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus, sharedService, uniqueEmail } from "../support/service.ts";

const t = await sharedService();

/** Patterns that mail programs turn into links: schemes, `www.`, and host names with or without a path. */
const LINKED = [
  /\b[a-z][a-z0-9+.-]*:\/\//i,
  /\b(?:mailto|https?|tel|sms):/i,
  /\bwww\d*\./i,
  /[\p{L}\p{N}\p{Cf}][.。．｡][\p{L}\p{N}]{2,}/u,
  /\d\.\d+\.\d/,
];
const ADDRESSES = [
  "https://evil.test/x",
  "HTTPS://EVIL.TEST",
  "Pay here: https://evil.test/x?y=z",
  "Acme(https://evil.test)",
  "http://localhost/x",
  "http:evil.test",
  "https:/evil.test/x",
  "https:\\\\evil.test/x",
  "https://me:secret@evil.test/",
  "ftp://evil.test",
  "//evil.test/x",
  "mailto:me@evil.test",
  "www.evil.test",
  "WWW2.EVIL.TEST",
  "evil.test/x",
  "evil.co.test/",
  "evil.test:8443",
  "evil.test?x",
  "evil.test./x",
  "1.2.3.4/x",
  "https://1.2.3.4/x",
  "1.2.3.4",
  "παράδειγμα.δοκιμή/x",
  "evil。test/x",
  "evil.test",
];
/** Returns a text as the recipient reads it, without the characters that were added to prevent a link. */
const asRead = (text: string) => text.replaceAll(/\[([^\]]+)\]/g, "$1").replaceAll("\u2060", "");
const withoutTags = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

for (const language of ["en", "el"] as const)
  test(`a name that looks like a URL is no link in an invitation mail in ${language}, for organizations and people`, async () => {
    const org = await createOrganization(t);
    for (const name of ADDRESSES) {
      expectStatus(await org.admin.patch("/api/organization", { name }), 200);
      expectStatus(await org.admin.patch("/api/profile", { firstName: name, lastName: name }), 200);
      const email = uniqueEmail();
      expectStatus(await invite(org.admin, { email, language }), 201);
      const [mail] = await t.mailTo(email);
      if (mail === undefined) throw new Error("No mail");
      const [link = "", ...others] = mail.links;
      expect([name, link, others]).toEqual([
        name,
        expect.stringMatching(/^http:\/\/app\.test\/accept-invitation\?token=/),
        [],
      ]);
      expect([...mail.html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([link]);
      const text = mail.text.replace(link, "");
      for (const part of [mail.subject, text, withoutTags(mail.html)]) {
        expect([name, LINKED.filter((pattern) => pattern.test(part))]).toEqual([name, []]);
        expect(asRead(part)).toContain(name);
      }
      expect(asRead(text).split(name)).toHaveLength(4);
    }
  });

test("a name that does not look like a URL is unchanged in an invitation mail", async () => {
  const names = [
    "Acme Inc.",
    "St. George & Co. Ltd",
    "Ο.Τ.Ε. Α.Ε.",
    "S.A./B.E.",
    "R&D: Athens",
    "24/7",
    "B2B:Sales",
  ];
  const org = await createOrganization(t);
  for (const name of names) {
    expectStatus(await org.admin.patch("/api/organization", { name }), 200);
    const email = uniqueEmail();
    expectStatus(await invite(org.admin, { email }), 201);
    const [mail] = await t.mailTo(email);
    for (const part of [mail?.subject, mail?.text, withoutTags(mail?.html ?? "")])
      expect(part).toContain(name);
  }
});

import { afterAll, expect, test } from "bun:test";
import PostalMime from "postal-mime";
import { smtpMailer } from "../../../src/platform/mail/smtp.ts";
import { startSmtp } from "../../support/smtp.ts";

const GREEK = "Πρόσκληση στον οργανισμό Ακμή με ένα πολύ μακρύ όνομα που δεν χωρά σε μία γραμμή";
const SUBJECTS = [
  "You are invited to Acme",
  GREEK,
  "Ένα “Acme” & Co. <b>",
  'Of "quotes", = signs, ?= and _ underscores_',
  `A long one in ASCII ${"that goes on and on ".repeat(8)}end`,
  `Ending in letters outside of every plane ${"🦊".repeat(40)}`,
  "two\r\nlines: of a header",
  "x".repeat(300),
  "You are invited to =?utf-8?q?https=3A=2F=2Fevil=2Eexample?=",
  `Πρόσκληση =?utf-8?b?${btoa("\r\nBcc: c@d.test")}?= στον οργανισμό =?utf-8?q?=E2=80=AE?=`,
  `${"🦊=?".repeat(40)}=?utf-8?q?a?= =?utf-8?q?b?=\r\n?=`,
];
const BODIES = [
  "One line.\n\nAnother one:\nhttps://app.test/accept-invitation?token=abc_-123\n\n",
  `${GREEK}\n\n${GREEK}\n`,
  ".a line that begins with a dot\n..\n.\nFrom here = there\n",
  `trailing spaces   \n\ttabs\t\n${"z".repeat(1_000)}\n`,
  `é${"🦊".repeat(100)}`,
];

const smtp = await startSmtp({ starttls: false });
const mailer = smtpMailer({
  from: "Acme <no-reply@app.test>",
  host: "127.0.0.1",
  port: smtp.port,
  secure: false,
  requireTls: false,
  user: "",
  pass: "",
});
afterAll(async () => {
  mailer.close();
  await smtp.stop();
});

/** Sends a mail and returns its source as the server received it. */
async function sent(content: { to?: string; subject: string; body: string }): Promise<string> {
  const { to = "{a}'b+c@example.com", subject, body } = content;
  await mailer.send({ to, subject, text: body, html: `<p>${body}</p>`, messageId: "<1@app.test>" });
  return smtp.messages.at(-1) ?? "";
}

test("a mail arrives with its subject and bodies unchanged, for any content", async () => {
  for (const subject of SUBJECTS)
    for (const body of BODIES) {
      const mail = await PostalMime.parse(await sent({ subject, body }));
      expect(mail.subject).toBe(subject.replaceAll(/[\r\n]+/g, " "));
      expect(mail.text?.trimEnd()).toBe(body.trimEnd());
      expect(mail.html?.trimEnd()).toBe(`<p>${body}</p>`);
      expect(mail.from).toEqual({ name: "Acme", address: "no-reply@app.test" });
      expect(mail.to).toEqual([{ name: "", address: "{a}'b+c@example.com" }]);
      expect(mail.messageId).toBe("<1@app.test>");
      const headers = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]));
      expect(headers).toMatchObject({
        "auto-submitted": "auto-generated",
        "x-auto-response-suppress": "OOF, AutoReply",
      });
      expect(headers).not.toHaveProperty("x-mailer");
    }
});

test("a mail is ASCII throughout, and no line exceeds 78 characters except a header without a place to fold", async () => {
  for (const subject of SUBJECTS)
    for (const body of BODIES) {
      const message = await sent({ subject, body });
      expect(message).toMatch(/^[\t\r\n -~]*$/);
      expect(message).not.toMatch(/[^\r]\n|\r[^\n]/);
      // A header consisting of one long word cannot be folded.
      const lines = message.split("\r\n").filter((line) => !/x{300}/.test(line));
      expect(lines.filter((line) => line.length > 78)).toEqual([]);
    }
});

test("only a single plain address is accepted as a mail's recipient", async () => {
  const before = smtp.recipients.length;
  for (const to of ["a@b.test,c@d.test", "a@b.test\r\nBcc: c@d.test", "A <a@b.test>", "ä@b.test", ""])
    await expect(sent({ to, subject: "", body: "" })).rejects.toThrow("The recipient is no address");
  expect(smtp.recipients).toHaveLength(before);
});

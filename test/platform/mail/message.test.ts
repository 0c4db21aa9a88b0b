import { expect, test } from "bun:test";
import MailComposer from "nodemailer/lib/mail-composer";
import PostalMime from "postal-mime";
import { composeMessage } from "../../../src/platform/mail/message.ts";

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
];
const BODIES = [
  "One line.\n\nAnother one:\nhttps://app.test/accept-invitation?token=abc_-123\n\n",
  `${GREEK}\n\n${GREEK}\n`,
  ".a line that begins with a dot\n..\n.\nFrom here = there\n",
  `trailing spaces   \n\ttabs\t\n${"z".repeat(1_000)}\n`,
  `é${"🦊".repeat(100)}`,
];

const FROM = "From: Acme <no-reply@app.test>";

const byNodemailer = (mail: object) =>
  new Promise<Buffer>((resolve, reject) => {
    const composer = new MailComposer({ from: "Acme <no-reply@app.test>", ...mail });
    composer.compile().build((error, message) => (error ? reject(error) : resolve(message as Buffer)));
  });

/** What a reader sees, without the line breaks that a mail ends in and the moment at which it was made. */
async function read(message: string | Buffer) {
  const { from, to, subject, text, html, messageId, headers } = await PostalMime.parse(message);
  return {
    ...{ from, to, subject, messageId, html: html?.trimEnd(), text: text?.trimEnd() },
    headers: headers.map(({ key }) => key),
  };
}

test("a mail is identical to nodemailer's, whatever its subject and its body", async () => {
  for (const subject of SUBJECTS)
    for (const body of BODIES) {
      const mail = {
        to: "{a}'b+c@example.com",
        subject,
        text: body,
        html: `<p>${body}</p>`,
        messageId: "<1@app.test>",
      };
      const own = await read(composeMessage(FROM, mail));
      expect(own).toEqual(await read(await byNodemailer(mail)));
      expect(own.subject).toBe(subject.replaceAll(/[\r\n]+/g, " "));
    }
});

test("no line of a mail is longer than 76 characters, and all but header lines are ASCII", () => {
  for (const subject of SUBJECTS)
    for (const body of BODIES) {
      const mail = {
        to: "a@example.com",
        subject,
        text: body,
        html: `<p>${body}</p>`,
        messageId: "<1@app.test>",
      };
      const message = composeMessage(FROM, mail);
      expect(message).toMatch(/^[\t\r\n -~]*$/);
      expect(message).not.toMatch(/[^\r]\n|\r[^\n]/);
      const lines = message.split("\r\n");
      // A word that has no end cannot be folded in a header.
      expect(lines.filter((line) => line.length > 76 && !/x{300}/.test(line))).toEqual([]);
    }
});

test("only an address of one mailbox is put in a header", () => {
  for (const to of ["a@b.test,c@d.test", "a@b.test\r\nBcc: c@d.test", "A <a@b.test>", "ä@b.test", ""]) {
    const mail = { to, subject: "", text: "", html: "", messageId: "" };
    expect(() => composeMessage(FROM, mail)).toThrow("The recipient is no address");
  }
});

import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { FORM_TYPE, fields, formBytes, formOf, image } from "../../support/forms.ts";
import { OWN_TICKETS, read, report, reportBody } from "../../support/helpdesk.ts";
import { pngWith } from "../../support/images.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();
const person = await t.person();
const JSON_TYPE = { "content-type": "application/json" };
/** Both ways to send a report. Refused reports do not count against the hourly limit, so one user suffices. */
const SENT = {
  "as JSON": (who: Caller, body: Record<string, unknown>) => who.post(OWN_TICKETS, body),
  "as a form": (who: Caller, body: Record<string, unknown>) =>
    who.post(OWN_TICKETS, undefined, formOf(fields(body as Record<string, string>))),
};

for (const [how, send] of Object.entries(SENT)) {
  test(`a report ${how} creates an open ticket with its first message`, async () => {
    const who = await t.person();
    const context = { pagePath: "/todos", browser: "Firefox 140", appVersion: "2.1.0" };
    const { body } = expectStatus(await send(who, reportBody(context)), 201);
    const author = { id: idOf(who), firstName: "Ada", lastName: "Lovelace" };
    expect(body).toEqual({
      id: expect.any(String),
      number: expect.any(Number),
      subject: "The list stays empty",
      category: "BUG",
      status: "OPEN",
      organizationId: null,
      organizationName: null,
      reporter: { ...author, email: who.email },
      ...context,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      lastActivityAt: body.createdAt,
      messageCount: 1,
      earlierMessageCount: 0,
      messages: [
        {
          id: expect.any(String),
          body: "Since this morning.",
          internal: false,
          asStaff: false,
          staffScope: null,
          author: { ...author, staffKind: null, organizationName: null },
          via: null,
          attachments: [],
          createdAt: body.createdAt,
        },
      ],
      events: [],
    });
    expect(await read(who, OWN_TICKETS, body.id)).toEqual(body);
  });

  test(`fields of a report ${how} are accepted up to their limits, and refused beyond`, async () => {
    const bad: [Record<string, unknown>, string][] = [
      [{ subject: "" }, "subject should not be empty"],
      [{ subject: " \u00a0 " }, "subject should not be empty"],
      [{ subject: "x".repeat(201) }, "subject must be shorter than or equal to 200 characters"],
      [{ subject: "a\nb" }, "subject must not contain control characters"],
      [
        { category: "OTHERS" },
        "category must be one of the following values: BUG, QUESTION, ACCOUNT, BILLING, FEATURE, OTHER",
      ],
      [{ message: "x".repeat(10_001) }, "message must be shorter than or equal to 10000 characters"],
      [{ message: "a\u0007b" }, "message must not contain control characters"],
      [{ message: " \n\t " }, "message should not be empty"],
      [{ message: "" }, "message should not be empty"],
      [{ pagePath: "/".repeat(2001) }, "pagePath must be shorter than or equal to 2000 characters"],
      [{ pagePath: "/a\tb" }, "pagePath must not contain control characters"],
      [{ browser: "x".repeat(501) }, "browser must be shorter than or equal to 500 characters"],
      [{ appVersion: "x".repeat(101) }, "appVersion must be shorter than or equal to 100 characters"],
      [{ internal: "true" }, "property internal should not exist"],
      [{ status: "CLOSED" }, "property status should not exist"],
    ];
    for (const [given, message] of bad) {
      const response = await send(person, reportBody(given));
      expect([outcome(response), messages(response)]).toEqual(["400 VALIDATION_FAILED", [message]]);
    }
    const nul = messages(await send(person, reportBody({ message: "a\0b" })));
    expect(nul).toContain("message must not contain NUL characters or unpaired surrogates");
    const longest = {
      subject: "😀".repeat(200),
      message: "ώ\t\n".repeat(3_333),
      pagePath: `/${"p".repeat(1999)}`,
      browser: "b".repeat(500),
      appVersion: "v".repeat(100),
    };
    const { messages: written, ...taken } = expectStatus(
      await send(await t.person(), { ...longest, category: "OTHER" }),
      201,
    ).body;
    expect({ ...taken, message: written[0].body }).toMatchObject(longest);
  });

  test(`a report ${how} with missing fields returns all errors at once`, async () => {
    const response = await send(person, {});
    expect(messages(response).sort()).toEqual([
      "category is required",
      "message should not be empty",
      "subject is required",
    ]);
  });
}

test("the subject of a report is trimmed, and its message is stored unchanged", async () => {
  const ticket = await report(await t.person(), {
    subject: "\u2003 Late \u00a0",
    message: "  as\r\nwritten ",
  });
  expect([ticket.subject, ticket.messages[0]?.body]).toEqual(["Late", "  as\r\nwritten "]);
});

test("a message of marks, private-use or unassigned code points is text, with an image too", async () => {
  for (const images of [[], [pngWith()]]) {
    const ticket = await report(await t.person(), { message: "\u0301\ue000\u0378" }, images);
    expect(ticket.messages[0]?.body).toBe("\u0301\ue000\u0378");
  }
});

test("CRLF line breaks in a report sent as a form are stored as LF", async () => {
  const who = await t.person();
  const lines = "a\n".repeat(5_000);
  const sent = lines.replaceAll("\n", "\r\n");
  const response = await who.post(
    OWN_TICKETS,
    undefined,
    formOf(fields({ ...(reportBody() as object), message: sent })),
  );
  expect(expectStatus(response, 201).body.messages[0].body).toBe(lines);
});

test("only the path of the reporter's open page is stored, without query and fragment", async () => {
  const paths = {
    "https://me:secret@app.test:8443/todos/1?token=secret#secret": "/todos/1",
    "/settings?token=secret": "/settings",
    "/settings#token=secret": "/settings",
    "https://app.test": "/",
    "HTTPS://APP.TEST/Upper?x": "/Upper",
  };
  const people = await Promise.all([t.person(), t.person()]);
  for (const [index, [sent, kept]] of Object.entries(paths).entries()) {
    const who = people[index % 2] as Caller;
    const { body } = expectStatus(await who.post(OWN_TICKETS, reportBody({ pagePath: sent })), 201);
    expect([sent, body.pagePath]).toEqual([sent, kept]);
  }
});

test("missing or empty context fields of a report are stored as null", async () => {
  const who = await t.person();
  const none = { pagePath: null, browser: null, appVersion: null };
  for (const given of [{}, { pagePath: "", browser: " ", appVersion: "" }, none]) {
    expect(expectStatus(await who.post(OWN_TICKETS, reportBody(given)), 201).body).toMatchObject(none);
  }
});

test("a ticket belongs to its reporter's active organization, if there is one", async () => {
  const org = await createOrganization(t, "Acme");
  const member = await org.member();
  const inside = await member.post(OWN_TICKETS, reportBody());
  expect(inside.body).toMatchObject({ organizationId: org.id, organizationName: "Acme" });
  const outside = await (await t.person()).post(OWN_TICKETS, reportBody());
  expect(outside.body).toMatchObject({ organizationId: null, organizationName: null });
});

test("a platform administrator's own report belongs to no organization, and is no staff message", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  await org.add(admin, { role: "MEMBER" });
  const response = await admin.post(OWN_TICKETS, reportBody(), { headers: { "x-organization-id": org.id } });
  expect(expectStatus(response, 201).body).toMatchObject({ organizationId: null });
  expect(response.body.messages).toMatchObject([{ asStaff: false, staffScope: null }]);
  expect(await read(admin, OWN_TICKETS, response.body.id)).toMatchObject({ messageCount: 1 });
});

test("ticket numbers ascend and are unique", async () => {
  const people = await Promise.all([t.person(), t.person(), t.person()]);
  const numbers = await Promise.all([...people, ...people].map(async (who) => (await report(who)).number));
  expect(new Set(numbers).size).toBe(6);
  expect((await report(people[0] as Caller)).number).toBeGreaterThan(Math.max(...numbers));
});

test("lone surrogates in a JSON report and invalid UTF-8 in a form are refused, not replaced", async () => {
  const surrogate = '{"subject":"a\\ud800","category":"BUG","message":"b"}';
  const json = { raw: surrogate, headers: JSON_TYPE };
  expect(messages(await person.post(OWN_TICKETS, undefined, json))).toEqual([
    "subject must not contain NUL characters or unpaired surrogates",
  ]);
  for (const bytes of [[0xff], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xe2, 0x82]]) {
    const parts = [
      { name: "subject", value: new Uint8Array(bytes) },
      ...fields({ category: "BUG", message: "b" }),
    ];
    expect(messages(await person.post(OWN_TICKETS, undefined, formOf(parts)))).toEqual([
      "subject must be valid UTF-8",
    ]);
  }
});

test("a repeated form field, or one sent as a file, is reported with all other errors", async () => {
  const parts = [
    ...fields({ subject: "One", category: "NONE" }),
    { name: "subject", value: "Two" },
    { name: "message", value: "Hello", fileName: "hello.txt", type: "text/plain" },
  ];
  const response = await person.post(OWN_TICKETS, undefined, formOf(parts));
  expect(messages(response).sort()).toEqual([
    "category must be one of the following values: BUG, QUESTION, ACCOUNT, BILLING, FEATURE, OTHER",
    "property message should not exist",
    "subject must not be repeated",
  ]);
});

test("a report field named like a built-in object property is refused as unknown", async () => {
  for (const name of ["__proto__", "constructor", "toString"]) {
    const parts = [...fields(reportBody() as never), { name, value: "x" }];
    const json = { raw: `{"${name}":"x",${JSON.stringify(reportBody()).slice(1)}`, headers: JSON_TYPE };
    for (const sent of [formOf(parts), json])
      expect(messages(await person.post(OWN_TICKETS, undefined, sent))).toEqual([
        `property ${name} should not exist`,
      ]);
  }
});

test("a report with an image needs no message; the stored message is then empty", async () => {
  for (const message of [undefined, "", "  "]) {
    const texts = { subject: "Look", category: "BUG", ...(message !== undefined && { message }) };
    const parts = [...fields(texts), image(pngWith())];
    const who = await t.person();
    const { body } = expectStatus(await who.post(OWN_TICKETS, undefined, formOf(parts)), 201);
    expect(body.messages).toMatchObject([{ body: "", attachments: [{ fileName: "screen.png" }] }]);
  }
});

test("a JSON report cannot contain images, and content types other than JSON and form are refused", async () => {
  expect(messages(await person.post(OWN_TICKETS, reportBody({ images: [] })))).toEqual([
    "property images should not exist",
  ]);
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/mixed; boundary=x"]) {
    const response = await person.post(OWN_TICKETS, undefined, {
      raw: "x",
      headers: { "content-type": type },
    });
    expect(outcome(response)).toBe("415 UNSUPPORTED_MEDIA_TYPE");
  }
});

test("a report sent as a malformed form is refused completely", async () => {
  const whole = Buffer.from(formBytes(fields(reportBody() as never))).toString("latin1");
  const broken = {
    "without its last boundary": whole.slice(0, -30),
    "cut off in a field": whole.slice(0, 150),
    "of nothing": "",
    "of something else": "subject=The+list",
    "with a field that has no name": Buffer.from(formBytes([{ value: "x" }])).toString("latin1"),
  };
  const bodyOf = (text: string) => Buffer.from(text, "latin1") as Uint8Array<ArrayBuffer>;
  for (const [what, raw] of Object.entries(broken)) {
    const response = await person.post(OWN_TICKETS, undefined, { raw: bodyOf(raw), headers: FORM_TYPE });
    expect([what, outcome(response)]).toEqual([what, "400 VALIDATION_FAILED"]);
  }
  for (const type of [
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "multipart/form-data; boundary=other",
  ]) {
    const response = await person.post(OWN_TICKETS, undefined, {
      raw: bodyOf(whole),
      headers: { "content-type": type },
    });
    expect([type, outcome(response)]).toEqual([type, "400 VALIDATION_FAILED"]);
  }
});

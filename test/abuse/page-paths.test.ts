import { expect, test } from "bun:test";
import type { Caller } from "../support/caller.ts";
import { fields, formOf } from "../support/forms.ts";
import { OWN_TICKETS, reportBody } from "../support/helpdesk.ts";
import { outcome } from "../support/outcomes.ts";
import { expectStatus, sharedService } from "../support/service.ts";

const t = await sharedService();

/** The page URL that is sent with a ticket, and the path that is stored. */
const CORPUS: [sent: string, kept: string | null][] = [
  ["/todos/1", "/todos/1"],
  ["/", "/"],
  ["/todos/1?token=secret#secret", "/todos/1"],
  ["/?//evil.test", "/"],
  ["/#\\evil.test", "/"],
  ["/a//b", "/a//b"],
  ["/a/..//evil.test", "/a/..//evil.test"],
  ["/%2f%2fevil.test", "/%2f%2fevil.test"],
  ["/%5cevil.test", "/%5cevil.test"],
  ["/%09/evil.test", "/%09/evil.test"],
  ["/λίστα/1", "/λίστα/1"],
  ["https://app.test", "/"],
  ["https://app.test/todos/1?x#y", "/todos/1"],
  ["HTTP://APP.TEST:8080/Upper", "/Upper"],
  ["https://me:secret@app.test/a", "/a"],
  ["https://app.test/%2e%2e/a", "/a"],
  ["https://app.test//evil.test/x", null],
  ["https://app.test/\\evil.test/x", null],
  ["https://app.test/.//evil.test", null],
  ["https://app.test/a/..//evil.test", null],
  ["https://", null],
  ["https:evil.test/x", null],
  ["https:/evil.test/x", null],
  ["https:\\\\evil.test\\x", null],
  ["https://[evil/x", null],
  ["//evil.test/x", null],
  ["///evil.test/x", null],
  ["/\\evil.test/x", null],
  ["\\\\evil.test\\x", null],
  ["\\/evil.test/x", null],
  ["javascript:alert(1)", null],
  ["JaVaScRiPt:alert(1)//https://app.test/a", null],
  ["javascript://app.test/%0aalert(1)", null],
  ["data:text/html,<script>alert(1)</script>", null],
  ["vbscript:msgbox", null],
  ["file:///etc/passwd", null],
  ["ftp://evil.test/x", null],
  ["mailto:me@evil.test", null],
  ["blob:https://app.test/0b1c", null],
  ["view-source:https://app.test/a", null],
  ["evil.test/x", null],
  ["todos/1", null],
  ["../todos", null],
  ["?token=secret", null],
  ["#/todos", null],
  ["%2f%2fevil.test", null],
  ["%2ftodos", null],
  ["\u200b//evil.test", null],
  ["\u200b/todos", null],
  ["／／evil.test", null],
  [" ", null],
];
const REFUSED = [
  "/\t/evil.test",
  "/a\nb",
  "java\tscript:alert(1)",
  "https://app.test/\u0000",
  "/\u202ea",
  "/a\u2028",
];

let people: Caller[] = [];
/** Returns a user who may still create a ticket; five per hour are allowed. */
async function reporter(): Promise<Caller> {
  const [next = await t.person(), ...rest] = people;
  people = rest.length > 0 ? rest : Array(5).fill(await t.person());
  return next;
}

test(`of ${CORPUS.length} page URLs of tickets, only a path within this site is stored, or nothing`, async () => {
  const wrong: unknown[] = [];
  for (const [index, [sent, kept]] of CORPUS.entries()) {
    const who = await reporter();
    const body = reportBody({ pagePath: sent });
    const response =
      index % 2
        ? await who.post(OWN_TICKETS, body)
        : await who.post(OWN_TICKETS, undefined, formOf(fields(body as Record<string, string>)));
    const { id, pagePath } = expectStatus(response, 201).body;
    const read = (await who.get(`${OWN_TICKETS}/${id}`)).body.pagePath;
    if (pagePath !== kept || read !== kept) wrong.push({ sent, kept, pagePath, read });
    if (pagePath !== null)
      expect([sent, new URL(pagePath, "https://app.test").host]).toEqual([sent, "app.test"]);
  }
  expect(wrong).toEqual([]);
});

test("control characters in a ticket's page URL are refused", async () => {
  const who = await t.person();
  for (const pagePath of REFUSED)
    expect([pagePath, outcome(await who.post(OWN_TICKETS, reportBody({ pagePath })))]).toEqual([
      pagePath,
      "400 VALIDATION_FAILED",
    ]);
});

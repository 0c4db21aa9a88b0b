import { afterAll, beforeEach, expect, test } from "bun:test";
import { startDnsServer } from "../../../src/dev/dns/server.ts";
import { txtResolver } from "../../../src/platform/http/dns/resolve-txt.ts";

const dns = await startDnsServer();
const other = await startDnsServer();
afterAll(async () => {
  await dns.stop();
  await other.stop();
});
beforeEach(() => {
  for (const { answers, asked } of [dns, other]) {
    answers.clear();
    asked.length = 0;
  }
});
const serverOf = ({ port }: { port: number }) => ({ address: "127.0.0.1", port });
const NAME = "_mos-verify.acme.com";
const found = (...values: string[]) => ({ kind: "found" as const, values });
const resolve = txtResolver([serverOf(dns)], 3_000);

test("each record is one value, and the strings of a record are joined", async () => {
  dns.answers.set(NAME, { records: [["one"], ["t", "wo", ""], []] });
  expect(await resolve(NAME)).toEqual(found("one", "two", ""));
});

test("records behind an alias are found, and those that do not fit into a packet", async () => {
  dns.answers.set(NAME, { records: [["aliased"]], alias: "acme.verify.example.net" });
  expect(await resolve(NAME)).toEqual(found("aliased"));
  const long = Array.from({ length: 40 }, () => ["x".repeat(200), "y"]);
  dns.answers.set(NAME, { records: long, truncated: true });
  expect(await resolve(NAME)).toEqual(found(...long.map((strings) => strings.join(""))));
});

test("a name that does not exist, and one without TXT records, are absent", async () => {
  dns.answers.set(NAME, { code: "NXDOMAIN" });
  expect(await resolve(NAME)).toEqual({ kind: "absent" });
  dns.answers.set(NAME, { records: [] });
  expect(await resolve(NAME)).toEqual({ kind: "absent" });
  expect(await resolve(`_mos-verify.${"a.".repeat(125)}com`)).toEqual({ kind: "absent" });
});

test("a server that fails, refuses or is silent has not answered", async () => {
  for (const answer of [{ code: "SERVFAIL" }, { code: "REFUSED" }, { silent: true }] as const) {
    dns.answers.set(NAME, answer);
    expect(await resolve(NAME)).toEqual({ kind: "unanswered" });
  }
  const nobody = await startDnsServer();
  await nobody.stop();
  expect(await txtResolver([serverOf(nobody)], 3_000)(NAME)).toEqual({ kind: "unanswered" });
});

test("the next server is asked if one fails or is slow, and the slow one may still answer", async () => {
  const both = txtResolver([serverOf(dns), serverOf(other)], 30_000);
  other.publish(NAME, "from the other");
  dns.answers.set(NAME, { code: "SERVFAIL" });
  expect(await both(NAME)).toEqual(found("from the other"));
  dns.answers.set(NAME, { silent: true });
  expect(await both(NAME)).toEqual(found("from the other"));
  dns.answers.set(NAME, { records: [["late"]], delayMs: 1_500 });
  other.answers.set(NAME, { code: "REFUSED" });
  expect(await both(NAME)).toEqual(found("late"));
});

test("an answer by the first server asks no other", async () => {
  dns.publish(NAME, "first");
  const both = txtResolver([serverOf(dns), serverOf(other)], 30_000);
  expect(await both(NAME)).toEqual(found("first"));
  expect(other.asked).toEqual([]);
});

/** Changes the valid answer to a question, as an attacker or a broken server would. */
const broken: Record<string, (answer: Buffer) => Buffer> = {
  "another id": (answer) => {
    answer.writeUInt16BE(answer.readUInt16BE(0) ^ 1, 0);
    return answer;
  },
  "another question": (answer) => {
    answer.write("x", 14, "latin1");
    return answer;
  },
  "a question instead of an answer": (answer) => {
    answer.writeUInt16BE(0x0100, 2);
    return answer;
  },
  "fewer bytes than a header": (answer) => answer.subarray(0, 5),
  "an answer that is cut": (answer) => answer.subarray(0, answer.length - 3),
  "more records than it has": (answer) => {
    answer.writeUInt16BE(0xffff, 6);
    return answer;
  },
  "a record longer than the packet": (answer) => {
    answer.writeUInt16BE(0xffff, answer.length - 8);
    return answer;
  },
  "a string longer than its record": (answer) => {
    answer.writeUInt8(255, answer.length - 6);
    return answer;
  },
};

for (const [what, change] of Object.entries(broken))
  test(`${what} is no answer, and does no harm`, async () => {
    const { encodeAnswer } = await import("../../../src/dev/dns/answer.ts");
    dns.answers.set(NAME, {
      raw: (question) => change(encodeAnswer(Buffer.from(question), { records: [["value"]] }, false)),
    });
    expect(await txtResolver([serverOf(dns)], 300)(NAME)).toEqual({ kind: "unanswered" });
  });

test("a name that points at itself does not loop, and random bytes do no harm", async () => {
  const { encodeAnswer } = await import("../../../src/dev/dns/answer.ts");
  dns.answers.set(NAME, {
    raw: (question) => {
      const answer = encodeAnswer(Buffer.from(question), { records: [["value"]] }, false);
      const at = Buffer.from(question).indexOf(0, 12) + 5;
      answer.writeUInt16BE(0xc000 | at, at);
      return answer;
    },
  });
  // Names of records are skipped, so the record itself is found.
  expect(await resolve(NAME)).toEqual(found("value"));
  const { decodeAnswer, encodeQuestion } = await import("../../../src/platform/http/dns/message.ts");
  const question = encodeQuestion(7, NAME) ?? new Uint8Array();
  for (let round = 0; round < 20_000; round += 1) {
    const answer = encodeAnswer(Buffer.from(question), { records: [["value", "more"]] }, false);
    for (let changes = 0; changes < 4; changes += 1)
      answer[Math.floor(Math.random() * answer.length)] = Math.floor(Math.random() * 256);
    decodeAnswer(question, answer.subarray(0, Math.floor(Math.random() * answer.length)));
    decodeAnswer(question, answer);
  }
});

test("the DNS server of tests throws if its port is taken, and chooses one that is free for UDP and TCP", async () => {
  await expect(startDnsServer(dns.port)).rejects.toThrow("EADDRINUSE");
  const servers = await Promise.all(Array.from({ length: 20 }, () => startDnsServer()));
  expect(new Set(servers.map(({ port }) => port)).size).toBe(20);
  for (const server of servers) await server.stop();
});

import { expect, test } from "bun:test";
import { connect } from "node:net";
import { until } from "../../support/cluster.ts";
import { request, sendRaw } from "../../support/raw.ts";
import { startService } from "../../support/service.ts";

const t = await startService();
const JSON_TYPE = { "content-type": "application/json" };
const LIMIT = 100 * 1024;

type Raw = string | Uint8Array<ArrayBuffer> | ReadableStream;
const login = (raw: Raw, headers: Record<string, string> = JSON_TYPE) =>
  t.anonymous().post("/api/auth/login", undefined, { raw, headers });
/** Returns a valid login body of exactly this many bytes. */
const padded = (bytes: number) => '{"email":"a@example.com","password":"x"}'.padEnd(bytes, " ");
const inChunks = (bytes: number) => new Blob([padded(bytes)]).stream();

test("a JSON route accepts JSON in UTF-8, however the content type is spelled", async () => {
  const types = [
    "application/json",
    "APPLICATION/JSON",
    "application/json;charset=utf-8",
    'application/json; charset="UTF-8"',
    "application/json; profile=x; charset=utf-8",
    "application/json;",
  ];
  for (const type of types) expect((await login("{}", { "content-type": type })).status).toBe(400);
});

test("a JSON route refuses any other content type", async () => {
  const types = [
    "text/plain",
    "text/json",
    "application/jsonx",
    "application/vnd.api+json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json, text/plain",
    "application/json; charset=utf-16",
    "application/json; charset=latin1",
    "application/json; profile=x; charset=latin1",
    "json",
  ];
  for (const type of types) {
    const response = await login("{}", { "content-type": type });
    expect([type, response.status, response.body.code]).toEqual([type, 415, "UNSUPPORTED_MEDIA_TYPE"]);
  }
});

test("a body with a content encoding is refused", async () => {
  const encoded = (encoding: string) => login("{}", { ...JSON_TYPE, "content-encoding": encoding });
  for (const encoding of ["gzip", "deflate", "br", "x", "identity, gzip", "gzip, identity"]) {
    const response = await encoded(encoding);
    expect([encoding, response.status, response.body.code]).toEqual([
      encoding,
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ]);
  }
  for (const encoding of ["identity", "Identity", "identity, identity"])
    expect([encoding, (await encoded(encoding)).status]).toEqual([encoding, 400]);
});

test("a route without a body refuses a body of another type", async () => {
  const response = await t.anonymous().post("/api/auth/refresh", undefined, { raw: "x" });
  expect(response.status).toBe(415);
});

test("a body without a content type is refused", async () => {
  const [response] = await sendRaw(t.url, request("POST /api/auth/login", {}, "{}"));
  expect(response?.status).toBe(415);
});

test("a request without a body needs no content type, however its length is declared", async () => {
  const none = request("POST /api/auth/refresh");
  const zero = request("POST /api/auth/refresh", { "Content-Length": "0", "Content-Type": "text/plain" });
  const chunked = request("POST /api/auth/refresh", { "Transfer-Encoding": "chunked" }, "0\r\n\r\n");
  for (const bytes of [none, zero, chunked]) {
    const [response] = await sendRaw(t.url, bytes);
    expect(response?.status).toBe(401);
  }
});

test("a body of exactly 100 KB is accepted, whole or in chunks", async () => {
  expect((await login(padded(LIMIT))).status).toBe(401);
  expect((await login(inChunks(LIMIT))).status).toBe(401);
});

test("a body of more than 100 KB is refused, whole or in chunks", async () => {
  for (const raw of [padded(LIMIT + 1), inChunks(LIMIT + 1)]) {
    const response = await login(raw);
    expect([response.status, response.body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
  }
});

test("body size is checked before content type, and content type before JSON syntax", async () => {
  const text = { "content-type": "text/plain" };
  expect((await login(padded(LIMIT + 1), text)).status).toBe(413);
  expect((await login(inChunks(LIMIT + 1), text)).status).toBe(413);
  expect((await login("{", text)).status).toBe(415);
});

test("a declared length over the limit is refused before the body is sent", async () => {
  const headers = { ...JSON_TYPE, "Content-Length": String(LIMIT + 1) };
  const [response] = await sendRaw(t.url, request("POST /api/auth/login", headers));
  expect(response?.status).toBe(413);
});

test("after a refused body the connection serves the next request", async () => {
  const large = padded(LIMIT + 1);
  const chunk = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
  const next = request("GET /api/health/live");
  const refused = [
    request("POST /api/auth/login", JSON_TYPE, large),
    request("POST /api/auth/login", { ...JSON_TYPE, "Transfer-Encoding": "chunked" }, chunk),
    request("POST /api/auth/login", { "Content-Type": "text/plain" }, "x".repeat(1000)),
    request("POST /api/nowhere", JSON_TYPE, large),
    request("GET /api/nowhere", JSON_TYPE, large),
  ];
  for (const bytes of refused) {
    const responses = await sendRaw(t.url, bytes + next, 2);
    expect(responses.at(-1)?.status).toBe(200);
  }
});

test("a client that waits for 100 Continue receives it, then the response", async () => {
  const headers = { ...JSON_TYPE, Expect: "100-continue" };
  const responses = await sendRaw(t.url, request("POST /api/auth/login", headers, "{}"), 2);
  expect(responses.map(({ status }) => status)).toEqual([100, 400]);
});

test("invalid JSON is 400 MALFORMED_JSON", async () => {
  const texts = [
    "{",
    "[".repeat(100_000),
    "{} x",
    "{'a':1}",
    '{"a":NaN}',
    "{/*x*/}",
    "  ",
    '"a\nb"',
    '{"a":"\0"}',
  ];
  for (const text of texts) {
    const response = await login(text);
    expect([text.slice(0, 20), response.status, response.body.code]).toEqual([
      text.slice(0, 20),
      400,
      "MALFORMED_JSON",
    ]);
  }
});

test("invalid UTF-8 in a body is 400 MALFORMED_JSON, encoded surrogates included", async () => {
  for (const bytes of ["\xff", "\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80"]) {
    const response = await login(new Uint8Array(Buffer.from(`{"email":"${bytes}"}`, "latin1")));
    expect(response.body.code).toBe("MALFORMED_JSON");
  }
});

test("deeply nested JSON is a validation error like any other wrong value", async () => {
  const deep = "[".repeat(50_000) + "]".repeat(50_000);
  for (const text of [deep, `{"email":${deep}}`, `${'{"a":'.repeat(16_000)}1${"}".repeat(16_000)}`]) {
    const response = await login(text);
    expect([response.status, response.body.code]).toEqual([400, "VALIDATION_FAILED"]);
  }
});

test("a JSON body that is not an object is a validation error", async () => {
  for (const text of ["[]", "null", '"text"', "1e999", "true"]) {
    for (const path of ["/api/auth/login", "/api/auth/refresh"]) {
      const response = await t.anonymous().post(path, undefined, { raw: text, headers: JSON_TYPE });
      expect(response.body.errors).toEqual([{ path: "", message: "body must be an object" }]);
    }
  }
});

test("a route without a body accepts an empty object and refuses every property", async () => {
  expect((await t.anonymous().post("/api/auth/refresh", {})).status).toBe(401);
  const response = await t.anonymous().post("/api/auth/refresh", { token: "x" });
  expect(response.body.message).toBe("property token should not exist");
});

test("a body on GET is ignored", async () => {
  const [response] = await sendRaw(
    t.url,
    request("GET /api/health/live", { "Content-Type": "text/plain" }, "x"),
  );
  expect(response?.status).toBe(200);
});

test("a client that disconnects while sending a body is not logged as a service error", async () => {
  const [instance] = await t.cluster(1);
  const url = new URL(instance?.url ?? "");
  const logged = () => instance?.log().filter((line) => line.includes('"gone-')) ?? [];
  for (const framing of ["Content-Length: 50\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"]) {
    const socket = connect(Number(url.port), url.hostname);
    const head = "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    socket.write(`${head}X-Request-Id: gone-${framing.length}\r\n${framing}`);
    await Bun.sleep(100);
    socket.destroy();
  }
  await until(() => (logged().length >= 2 ? true : null));
  await instance?.stop();
  const lines = logged();
  expect(lines).toHaveLength(2);
  expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

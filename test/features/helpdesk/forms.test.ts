import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { Caller } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { FORM_TYPE, fields, formBytes, formOf, image, MB, pngOfSize } from "../../support/forms.ts";
import { download, expectNothingLeft, OWN_TICKETS, report, reportBody } from "../../support/helpdesk.ts";
import { pngWith } from "../../support/images.ts";
import { messages, outcome } from "../../support/outcomes.ts";
import { megabytesOf } from "../../support/processes.ts";
import { sendRaw } from "../../support/raw.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { ownStorage } from "../../support/storage.ts";

const storage = await ownStorage();
const t = await startService(storage.environment);
const texts = fields(reportBody() as never);

/** Returns the head of an HTTP request for a raw socket; the test sends the body itself. */
const head = (who: Caller, framing: string) =>
  `POST ${OWN_TICKETS} HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer ${who.accessToken}\r\nContent-Type: ${FORM_TYPE["content-type"]}\r\n${framing}\r\n\r\n`;

test("a form whose Content-Length exceeds 26 MB is refused before its body is sent, but after authentication", async () => {
  const send = async (caller: Caller) => {
    const [response] = await sendRaw(t.url, head(caller, `Content-Length: ${26 * MB + 1}`));
    return JSON.parse(response?.body ?? "");
  };
  expect(await send(await t.person())).toMatchObject({ statusCode: 413, code: "PAYLOAD_TOO_LARGE" });
  expect(await send(t.anonymous())).toMatchObject({ statusCode: 401, code: "UNAUTHENTICATED" });
});

/** Sends a chunked body without Content-Length until a response arrives. */
async function sendChunks(who: Caller, body: Iterable<Uint8Array>) {
  const { hostname, port } = new URL(t.url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes.toString("latin1");
  });
  socket.on("error", () => {});
  socket.write(head(who, "Transfer-Encoding: chunked"));
  let sent = 0;
  for (const bytes of body) {
    if (received !== "" || socket.destroyed) break;
    sent += bytes.length;
    socket.write(`${bytes.length.toString(16)}\r\n`);
    socket.write(bytes);
    if (!socket.write("\r\n"))
      await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
    await Bun.sleep(0);
  }
  if (received === "") socket.write("0\r\n\r\n");
  await until(() => (received.includes("\r\n\r\n{") ? true : null));
  socket.destroy();
  return {
    sent,
    status: Number(received.split(" ")[1]),
    body: JSON.parse(received.slice(received.indexOf("{"), received.lastIndexOf("}") + 1)),
  };
}

function* endless(first: Uint8Array): Generator<Uint8Array> {
  yield first;
  for (;;) yield new Uint8Array(MB);
}

test("a form of unknown length is refused with an API error as soon as it is too large", async () => {
  const who = await t.person();
  const before = await storage.keys();
  const open = formBytes(
    texts,
    `--${FORM_TYPE["content-type"].split("boundary=")[1]}\r\nContent-Disposition: form-data; name="images"; filename="a.png"\r\n\r\n`,
  );
  const image = await sendChunks(who, endless(open));
  expect([image.status, image.body.code]).toEqual([413, "IMAGE_TOO_LARGE"]);
  expect(image.sent).toBeLessThan(100 * MB);
  // A complete form, followed by endless data.
  const rest = await sendChunks(who, endless(formBytes(texts)));
  expect([rest.status, rest.body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
  expect(rest.body).toMatchObject({
    statusCode: 413,
    message: expect.any(String),
    requestId: expect.any(String),
  });
  await expectNothingLeft(t, storage, who, before);
});

test("an oversized text field of a form is PAYLOAD_TOO_LARGE, not IMAGE_TOO_LARGE", async () => {
  const who = await t.person();
  for (const name of ["message", "nothing"]) {
    for (const bytes of [101 * 1024, 6 * MB]) {
      const text = { name, value: new Uint8Array(bytes).fill(120) };
      expect(outcome(await who.post(OWN_TICKETS, undefined, formOf([...texts, text])))).toBe(
        "413 PAYLOAD_TOO_LARGE",
      );
    }
  }
  const file = { ...image(new Uint8Array(6 * MB), "a.png"), name: "nothing" };
  const response = await who.post(OWN_TICKETS, undefined, formOf([...texts, file]));
  expect(messages(response)).toEqual(["property nothing should not exist"]);
  expect(
    outcome(await who.post(OWN_TICKETS, undefined, formOf([...texts, image(pngOfSize(5 * MB + 1))]))),
  ).toBe("413 IMAGE_TOO_LARGE");
});

test("the field of a form part comes from `name`, even if its file name contains another `name`", async () => {
  const who = await t.person();
  const sly = { ...image(pngWith(), 'x; name=\\"subject\\"; y.png') };
  expectStatus(await who.post(OWN_TICKETS, undefined, formOf([...texts, sly])), 201);
});

test("a form with wrong boundaries or headers is refused", async () => {
  const who = await t.person();
  const boundary = FORM_TYPE["content-type"].split("boundary=")[1];
  const part = 'Content-Disposition: form-data; name="message"\r\n\r\nx';
  const malformed = [
    "",
    "nothing",
    `before\r\n--${boundary}\r\n${part}\r\n--${boundary}--`,
    `--${boundary}`,
    `--${boundary}\r\n${part}`,
    `--${boundary}\r\n${part}\r\n--${boundary}`,
    `--${boundary}x\r\n${part}\r\n--${boundary}--`,
    `--${boundary}\r\nContent-Disposition: form-data\r\n\r\nx\r\n--${boundary}--`,
    `--${boundary}\r\nX: ${"x".repeat(9000)}\r\n${part}\r\n--${boundary}--`,
  ];
  for (const raw of malformed) {
    const response = await who.post(OWN_TICKETS, undefined, { raw, headers: FORM_TYPE });
    expect([raw.slice(0, 100), messages(response)]).toEqual([
      raw.slice(0, 100),
      ["body must be a well-formed multipart/form-data form"],
    ]);
  }
});

test("the largest allowed form is accepted: five images of 5 MB, and all texts", async () => {
  const who = await t.person();
  const images = Array.from({ length: 5 }, () => image(pngOfSize(5 * MB)));
  const long = fields({ ...(reportBody() as Record<string, string>), message: "x".repeat(10_000) });
  const body = formBytes([...long, ...images]);
  expect(body.length).toBeGreaterThan(25 * MB);
  const pieces = function* () {
    for (let start = 0; start < body.length; start += 777_777) yield body.subarray(start, start + 777_777);
  };
  expect((await sendChunks(who, pieces())).status).toBe(201);
});

test("data after the last boundary of a form is ignored, also in a separate chunk", async () => {
  for (const pieces of [
    ["", "rest"],
    ["rest", ""],
    ["\r\n", "--rest--\r\n"],
  ]) {
    const who = await t.person();
    const [same = "", own = ""] = pieces;
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(formBytes([...texts, image(pngWith())]));
        if (same !== "") controller.enqueue(Buffer.from(same));
        await Bun.sleep(30);
        if (own !== "") controller.enqueue(Buffer.from(own));
        controller.close();
      },
    });
    expectStatus(await who.post(OWN_TICKETS, undefined, { raw: body, headers: FORM_TYPE }), 201);
  }
});

test("a form is parsed to the same fields in chunks of any size", async () => {
  const bytes = formBytes([...texts, image(pngWith()), image(pngWith())]);
  for (const size of [1, 7, 64]) {
    const who = await t.person();
    const body = new ReadableStream({
      async pull(controller) {
        for (let start = 0; start < bytes.length; start += size)
          controller.enqueue(bytes.subarray(start, start + size));
        controller.close();
      },
    });
    const response = expectStatus(
      await who.post(OWN_TICKETS, undefined, { raw: body, headers: FORM_TYPE }),
      201,
    );
    const { attachments } = response.body.messages[0];
    for (const { id } of attachments)
      expect((await download(who, id)).bytes).toEqual(new Uint8Array(pngWith()));
  }
});

test("a client that disconnects while it sends a form leaves no data, and blocks no other client", async () => {
  const who = await t.person();
  const before = await storage.keys();
  const bytes = formBytes([...texts, image(pngWith()), image(pngWith())]);
  const { hostname, port } = new URL(t.url);
  for (const part of [10, bytes.length - 40, bytes.length - 1]) {
    for (const framing of [`Content-Length: ${bytes.length}`, "Transfer-Encoding: chunked"]) {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => {});
      const isChunked = framing.startsWith("Transfer");
      socket.write(head(who, framing));
      if (isChunked) socket.write(`${part.toString(16)}\r\n`);
      await new Promise((resolve) => socket.write(bytes.subarray(0, part), resolve));
      socket.destroy();
    }
  }
  // Once a later report is served, the interrupted requests have ended.
  await report(await t.person());
  await expectNothingLeft(t, storage, who, before);
});

/** Returns a function that sends a form with these images, but not its end. */
function unfinished(images: Uint8Array[]) {
  const body = formBytes([...texts, ...images.map((bytes) => image(bytes))], "");
  return (who: Caller) => {
    const { hostname, port } = new URL(t.url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.write(head(who, `Content-Length: ${body.length + 100}`));
    socket.write(body);
    return socket;
  };
}

test("one user's concurrent forms use at most the memory of five large ones, and other users can send forms meanwhile", async () => {
  const [who, other] = [await t.person(), await t.person()];
  const send = unfinished(Array.from({ length: 5 }, () => pngOfSize(5 * MB)));
  const sockets: Socket[] = [];
  // A form that is refused because the large form below is in memory is sent again.
  const hold = () => {
    const socket = send(who).on("data", () => {
      socket.destroy();
      hold();
    });
    sockets.push(socket);
  };
  for (let count = 0; count < 5; count += 1) hold();
  // A large form without the required fields: it is read completely, then refused.
  const large = formOf([1, 2].map(() => image(pngOfSize(4 * MB))));
  const sendLarge = async (by: Caller) => outcome(await by.post(OWN_TICKETS, undefined, large));
  try {
    await until(async () => ((await sendLarge(who)) === "429 UPLOAD_QUOTA_EXCEEDED" ? true : null));
    const refused = await who.post(OWN_TICKETS, undefined, large);
    expect([outcome(refused), refused.headers.get("retry-after")]).toEqual([
      "429 UPLOAD_QUOTA_EXCEEDED",
      "1",
    ]);
    expect(await sendLarge(other)).toBe("400 VALIDATION_FAILED");
    // Small forms of this user are still accepted.
    expectStatus(await who.post(OWN_TICKETS, undefined, formOf([...texts, image(pngWith())])), 201);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  await until(async () => ((await sendLarge(who)) === "400 VALIDATION_FAILED" ? true : null));
});

test("a form sent in chunks of one byte uses less than 100 MB of memory", async () => {
  const [instance] = await t.cluster(1);
  const { url, pid } = instance ?? { url: "", pid: 0 };
  const who = (await t.person()).at(url);
  expectStatus(await who.post(OWN_TICKETS, undefined, formOf([...texts, image(pngWith())])), 201);
  const before = megabytesOf(pid);
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const bytes = formBytes([...texts, image(pngOfSize(600_000))]);
  let received = "";
  socket.on("data", (data) => {
    received += data.toString("latin1");
  });
  socket.write(head(who, "Transfer-Encoding: chunked"));
  for (let start = 0; start < bytes.length; start += 10_000) {
    const pieces = [...bytes.subarray(start, start + 10_000)].map((byte) => [
      ...Buffer.from("1\r\n"),
      byte,
      ...Buffer.from("\r\n"),
    ]);
    if (!socket.write(Buffer.from(pieces.flat())))
      await new Promise((resolve) => socket.once("drain", resolve));
  }
  // The service has read everything and waits for the last chunk.
  await until(async () => ((await who.get(OWN_TICKETS)).status === 200 ? true : null));
  const max = megabytesOf(pid);
  socket.write("0\r\n\r\n");
  await until(() => (received.includes(" 201 ") ? true : null));
  socket.destroy();
  expect(max - before).toBeLessThan(100);
});

test("a form with too many parts is refused", async () => {
  const who = await t.person();
  const parts = Array.from({ length: 60 }, (_, index) => ({ name: `field${index}`, value: "x" }));
  const response = await who.post(OWN_TICKETS, undefined, formOf(parts));
  expect(outcome(response)).toBe("400 VALIDATION_FAILED");
  expect(messages(response).length).toBeGreaterThan(0);
});

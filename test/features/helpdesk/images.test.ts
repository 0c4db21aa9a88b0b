import { expect, test } from "bun:test";
import { until } from "../../support/cluster.ts";
import { fields, formOf, image, MB, type Part, pngOfSize } from "../../support/forms.ts";
import {
  download,
  imageRows,
  type Message,
  ORGANIZATION_TICKETS,
  OWN_TICKETS,
  read,
  report,
  reportBody,
} from "../../support/helpdesk.ts";
import { helpdeskWorld, reported } from "../../support/helpdesk-world.ts";
import {
  COM,
  chunk,
  gifWith,
  jpegWith,
  LOSSY,
  pngWith,
  riffChunk,
  segment,
  webpOf,
} from "../../support/images.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { ownStorage } from "../../support/storage.ts";

const storage = await ownStorage();
const t = await startService(storage.environment);
const texts = fields(reportBody() as never);
const sending = (...images: Part[]) => formOf([...texts, ...images]);
const bytesOf = (text: string) => Buffer.from(text);

/** Sends a report with images as a new user; returns the attachments. */
async function attachmentsOf(...images: Part[]): Promise<Message["attachments"]> {
  const who = await t.person();
  return expectStatus(await who.post(OWN_TICKETS, undefined, sending(...images)), 201).body.messages[0]
    .attachments;
}

test("five images of a report are served in order and byte for byte; a sixth is refused", async () => {
  const who = await t.person();
  const files = [pngWith(), jpegWith(), webpOf(riffChunk("VP8 ", LOSSY)), gifWith(), pngWith()];
  const tooMany = await who.post(
    OWN_TICKETS,
    undefined,
    sending(...[...files, pngWith()].map((file) => image(file))),
  );
  expect(outcome(tooMany)).toBe("400 TOO_MANY_IMAGES");
  expect(await imageRows(t, idOf(who))).toEqual([]);
  const { id, messages } = await report(who, {}, files);
  const attachments = messages[0]?.attachments ?? [];
  expect(attachments.map(({ contentType, size }) => [contentType, size])).toEqual(
    ["image/png", "image/jpeg", "image/webp", "image/gif", "image/png"].map((type, index) => [
      type,
      files[index]?.length ?? 0,
    ]),
  );
  expect(attachments[0]).toEqual({
    id: expect.any(String),
    fileName: "screen.png",
    contentType: "image/png",
    size: pngWith().length,
    ...{ width: 1, height: 2 },
  });
  expect((await read(who, OWN_TICKETS, id)).messages[0]?.attachments).toEqual(attachments);
  for (const [index, { id: imageId, contentType }] of attachments.entries()) {
    const { bytes, headers } = await download(who, imageId);
    expect(bytes).toEqual(new Uint8Array(files[index] ?? []));
    expect(headers.get("content-type")).toBe(contentType);
  }
  const keys = (await imageRows(t, idOf(who))).map(({ storage_key }) => storage_key).sort();
  expect(keys).toEqual(attachments.map((one) => `helpdesk/${id}/${one.id}`).sort());
  expect((await storage.keys()).filter((key) => key.includes(id))).toEqual(keys);
});

test("an image of exactly 5 MB is accepted, one byte more is refused, even if the removal of metadata would shrink it", async () => {
  const who = await t.person();
  const largest = pngOfSize(5 * MB);
  const max = Array.from({ length: 5 }, () => largest);
  const { messages } = await report(who, {}, max);
  expect(messages[0]?.attachments.map(({ size }) => size)).toEqual(Array(5).fill(5 * MB));
  expect(Buffer.compare((await download(who, messages[0]?.attachments[4]?.id ?? "")).bytes, largest)).toBe(0);

  const comment = (size: number) => chunk("tEXt", new Uint8Array(size));
  const padding = 5 * MB - pngWith({ afterHeader: [comment(0)] }).length;
  const dropped = pngWith({ afterHeader: [comment(padding)] });
  const [small] = await attachmentsOf(image(dropped));
  expect([dropped.length, small?.size]).toEqual([5 * MB, pngWith().length]);
  for (const file of [pngOfSize(5 * MB + 1), pngWith({ afterHeader: [comment(padding + 1)] })]) {
    const before = await storage.keys();
    const response = await who.post(OWN_TICKETS, undefined, sending(image(pngWith()), image(file)));
    expect(outcome(response)).toBe("413 IMAGE_TOO_LARGE");
    expect(await storage.keys()).toEqual(before);
  }
});

test("a file whose bytes are not PNG, JPEG, WebP or GIF is refused, whatever its name", async () => {
  const who = await t.person();
  const others = [
    "",
    "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "<html></html>",
    "%PDF-1.7",
    "BM",
    "RIFF....WAVE",
    "\x89PNG",
    "GIF88a",
  ];
  for (const text of others) {
    const response = await who.post(
      OWN_TICKETS,
      undefined,
      sending(image(pngWith()), image(Buffer.from(text, "latin1"))),
    );
    expect([text, outcome(response)]).toEqual([text, "415 UNSUPPORTED_IMAGE"]);
  }
  const boxes = (brands: string) => `\0\0\0${String.fromCharCode(8 + brands.length)}ftyp${brands}`;
  const known: [type: string, bytes: string][] = [
    ["HEIC", boxes("heic\0\0\0\0mif1heic")],
    ["HEIC", boxes("mif1\0\0\0\0mif1heix")],
    ["HEIF", boxes("mif1\0\0\0\0mif1")],
    ["AVIF", boxes("avif\0\0\0\0mif1miaf")],
    ["AVIF", boxes("mif1\0\0\0\0avif")],
    ["video", boxes("qt  \0\0\0\0qt  ")],
    ["TIFF", "MM\0*\0\0\0\x08"],
    ["TIFF", "II*\0\x08\0\0\0"],
    ["BMP", "BM\x46\0\0\0"],
    ["PDF", "%PDF-1.7"],
    ["SVG", "<svg xmlns='http://www.w3.org/2000/svg'/>"],
    ["SVG", '\xef\xbb\xbf<?xml version="1.0"?>\n<!-- drawn -->\n<svg\n/>'],
    ["JPEG XL", "\xff\x0a\0\0"],
  ];
  for (const [type, text] of known) {
    const { body } = await who.post(OWN_TICKETS, undefined, sending(image(Buffer.from(text, "latin1"))));
    expect([body.code, body.message]).toEqual([
      "UNSUPPORTED_IMAGE",
      `Images must be PNG, JPEG, WebP or GIF; this file is ${type}`,
    ]);
  }
  const { body } = await who.post(OWN_TICKETS, undefined, sending(image(Buffer.from("<html><svg></html>"))));
  expect(body.message).toBe("Images must be PNG, JPEG, WebP or GIF");
  const damaged = [
    pngWith().slice(0, -5),
    jpegWith().slice(0, 30),
    gifWith().slice(0, 15),
    webpOf(riffChunk("VP8 ", LOSSY)).slice(0, 30),
  ];
  for (const file of damaged) {
    const response = await who.post(OWN_TICKETS, undefined, sending(image(file), image(pngWith())));
    expect(outcome(response)).toBe("400 MALFORMED_IMAGE");
  }
  expect(await imageRows(t, idOf(who))).toEqual([]);
  expect(outcome(await who.get(OWN_TICKETS))).toBe("200");
});

test("the type of an image comes from its bytes, not from the declared type or the file name", async () => {
  const [jpeg, png] = await attachmentsOf(
    image(jpegWith(), "shot.png", "image/png"),
    image(pngWith(), "page.html", "text/html"),
  );
  expect(jpeg).toMatchObject({ fileName: "shot.jpg", contentType: "image/jpeg" });
  expect(png).toMatchObject({ fileName: "page.png", contentType: "image/png" });
});

test("personal metadata such as camera and location is removed from stored and served images", async () => {
  const files = [
    jpegWith({ header: [segment(COM, "secret")], trailing: "secret" }),
    pngWith({ afterHeader: [chunk("tEXt", "secret\0secret")], trailing: "secret" }),
  ];
  const who = await t.person();
  const { messages } = await report(who, {}, files);
  for (const { id, size } of messages[0]?.attachments ?? []) {
    const { bytes } = await download(who, id);
    expect(bytes.length).toBe(size);
    expect(Buffer.from(bytes).toString("latin1")).not.toContain("secret");
  }
});

const NAMES: [string, string][] = [
  ["screen shot.png", "screen shot.png"],
  ["../../etc/passwd", "passwd.png"],
  ["C:\\Users\\Ada\\shot.PNG", "shot.png"],
  ['C:\\\\Users\\\\shot \\"1\\".PNG', "shot 1.png"],
  ["a%22b%0d%0aSet-Cookie: x.jpg", "abSet-Cookie: x.png"],
  ["φωτό – 写真 😀.jpeg", "φωτό – 写真 😀.png"],
  ["\u202egnp.exe", "gnp.png"],
  ["a\u0007b\u0085c.png", "abc.png"],
  ["it's `quoted`.png", "its quoted.png"],
  [`${"x".repeat(300)}.png`, `${"x".repeat(96)}.png`],
  ["😀".repeat(120), `${"😀".repeat(96)}.png`],
  [".png", "image.png"],
  ["..", "image.png"],
  ["", "image.png"],
  ["archive.tar.gz", "archive.tar.png"],
  ["no extension", "no extension.png"],
];

test("paths, quotes and invisible characters are removed from an image's file name, which gets the extension of its type", async () => {
  for (let start = 0; start < NAMES.length; start += 5) {
    const some = NAMES.slice(start, start + 5);
    const attached = await attachmentsOf(...some.map(([sent]) => image(pngWith(), sent)));
    expect(attached.map(({ fileName }) => fileName)).toEqual(some.map(([, kept]) => kept));
  }
});

test("an image is served as an attachment with its file name, only to users with access to the ticket", async () => {
  const who = await t.person();
  const name = "φωτό (1) 100% – it.png";
  const { body } = expectStatus(await who.post(OWN_TICKETS, undefined, sending(image(pngWith(), name))), 201);
  const { headers, bytes } = await download(who, body.messages[0].attachments[0].id);
  const disposition = headers.get("content-disposition") ?? "";
  const [, ascii = "", encoded = ""] =
    /^attachment; filename="([^"]*)"; filename\*=UTF-8''(\S+)$/.exec(disposition) ?? [];
  expect(ascii).toMatch(/^[\x20-\x7e]+\.png$/);
  expect(encoded).toMatch(/^[A-Za-z0-9!#$&+\-.^_`|~%]+$/);
  expect(decodeURIComponent(encoded)).toBe(name);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("cache-control")).toBe("private, no-store");
  expect(headers.get("content-length")).toBe(String(bytes.length));
  expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
  expect(headers.get("access-control-allow-origin")).toBeNull();
});

test("an empty file input is ignored, and an image without a file name is accepted", async () => {
  const nothing = image(new Uint8Array(), "", "application/octet-stream");
  expect(await attachmentsOf(nothing)).toEqual([]);
  expect(await attachmentsOf(image(pngWith(), ""), nothing)).toMatchObject([{ fileName: "image.png" }]);
});

test("an encoded file name (`filename*`), which RFC 7578 forbids in forms, is ignored and not logged", async () => {
  const [instance] = await t.cluster(1);
  const who = (await t.person()).at(instance?.url ?? "");
  const encoded = { name: "images\"; filename*=no-charset''x; rest=\"", value: pngWith() };
  const response = await who.post(OWN_TICKETS, undefined, formOf([...texts, encoded]));
  expect(expectStatus(response, 201).body.messages[0].attachments).toMatchObject([{ fileName: "image.png" }]);
  const log = () => instance?.log() ?? [];
  await until(() => (log().some((line) => line.includes(OWN_TICKETS)) ? true : null));
  // JSON.parse fails if the file name has broken a log line.
  const warnings = log()
    .map((line) => JSON.parse(line))
    .filter(({ level, msg }) => level === "warn" && msg !== "not ready");
  expect(warnings).toEqual([]);
});

test("staff can attach images like reporters, and a ticket has at most fifty", async () => {
  const d = await helpdeskWorld(t);
  const { id, reporter } = await reported(d);
  const path = (place: string) => `${place}/${id}/messages`;
  const response = await d.org.admin.post(path(ORGANIZATION_TICKETS), undefined, formOf([image(pngWith())]));
  expect(expectStatus(response, 201).body).toMatchObject({
    body: "",
    attachments: [{ contentType: "image/png" }],
  });
  expect((await download(reporter, response.body.attachments[0].id)).status).toBe(200);
  await t.sql(
    `INSERT INTO ticket_attachments (ticket_id, message_id, user_id, storage_key, position, file_name, content_type, size, width, height)
     SELECT ticket_id, message_id, user_id, storage_key || n, 1 + n, file_name, content_type, size, width, height
     FROM ticket_attachments, generate_series(1, 47) n WHERE ticket_id = $1`,
    [id],
  );
  const two = formOf([image(pngWith()), image(pngWith())]);
  const three = formOf([image(pngWith()), image(pngWith()), image(pngWith())]);
  expect(outcome(await reporter.post(path(OWN_TICKETS), undefined, three))).toBe("400 TOO_MANY_IMAGES");
  expectStatus(await reporter.post(path(OWN_TICKETS), undefined, two), 201);
  for (const [who, place] of [
    [reporter, OWN_TICKETS],
    [d.org.admin, ORGANIZATION_TICKETS],
  ] as const)
    expect(outcome(await who.post(path(place), undefined, formOf([image(pngWith())])))).toBe(
      "400 TOO_MANY_IMAGES",
    );
  expectStatus(await reporter.post(path(OWN_TICKETS), { message: "Without an image" }), 201);
  // Refused images leave neither rows nor objects.
  const pending = await t.sql("SELECT FROM ticket_attachments WHERE ticket_id = $1 AND message_id IS NULL", [
    id,
  ]);
  expect(pending).toEqual([]);
  expect((await storage.keys()).filter((key) => key.includes(id))).toHaveLength(3);
});

test("invalid images are refused before the ticket is looked up, and reading images needs a permission", async () => {
  const d = await helpdeskWorld(t);
  const { id } = await reported(d);
  const bad = formOf([image(bytesOf("<svg/>"))]);
  const { member, besideAdmin } = d.views;
  expect(outcome(await t.anonymous().post(OWN_TICKETS, undefined, bad))).toBe("401 UNAUTHENTICATED");
  expect(outcome(await member.who.post(`${ORGANIZATION_TICKETS}/${id}/messages`, undefined, bad))).toBe(
    "403 FORBIDDEN",
  );
  const unseen = formOf([image(pngWith())]);
  expect(
    outcome(await besideAdmin.who.post(`${ORGANIZATION_TICKETS}/${id}/messages`, undefined, unseen)),
  ).toBe("404 NOT_FOUND");
  expect(await imageRows(t, idOf(besideAdmin.who))).toEqual([]);
});

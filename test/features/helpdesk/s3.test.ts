import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeleteObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { bunRuntime } from "../../../src/app/runtimes/bun.ts";
import { buildEdge } from "../../../src/dev/edge/build.ts";
import { compareImages, reconcileImages } from "../../../src/features/helpdesk/reconcile-images.ts";
import { openStorage } from "../../../src/platform/storage/open.ts";
import { s3Storage } from "../../../src/platform/storage/s3.ts";
import type { Caller } from "../../support/caller.ts";
import { startEdgeInstance } from "../../support/edge.ts";
import {
  download,
  imageRows,
  OWN_TICKETS,
  page,
  report,
  reportBody,
  withImages,
} from "../../support/helpdesk.ts";
import { jpegWith, pngWith } from "../../support/images.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { isSwiftInstalled, SWIFT_PACKAGES, startSwift } from "../../support/swift.ts";

/* Images in a bucket of a real S3 server. Tests of a local directory are in images.test.ts and uploads.test.ts. */

if (!isSwiftInstalled) test.skip(`S3: skipped, as it needs the packages ${SWIFT_PACKAGES}`, () => {});
else {
  const swift = await startSwift();
  const t = await startService(swift.environment);
  const two = [pngWith(), jpegWith()];
  const send = (who: Caller, given = {}) =>
    who.post(OWN_TICKETS, undefined, withImages({ ...reportBody(), ...given } as never, two));
  const imagesOf = (ticket: { messages: { attachments: { id: string }[] }[] }) =>
    ticket.messages[0]?.attachments.map(({ id }) => id) ?? [];
  const sweep = async () => {
    await t.sql("INSERT INTO pgboss.job (name) VALUES ('helpdesk.sweep')");
    await t.drain();
  };

  test("images are stored in the S3 bucket under their ticket's id, and served from there", async () => {
    const who = await t.person();
    const before = await swift.keys();
    const ticket = await report(who, {}, two);
    const keys = imagesOf(ticket).map((id) => `helpdesk/${ticket.id}/${id}`);
    expect(await swift.keys()).toEqual([...before, ...keys].sort());
    for (const [index, id] of imagesOf(ticket).entries()) {
      const { status, bytes, headers } = await download(who, id);
      expect([status, Buffer.from(bytes).equals(two[index] ?? Buffer.of())]).toEqual([200, true]);
      expect(headers.get("content-type")).toBe(index === 0 ? "image/png" : "image/jpeg");
    }
  });

  test("an image whose object is missing in the bucket is 404", async () => {
    const who = await t.person();
    const ticket = await report(who, {}, two);
    const { S3_ENDPOINT: endpoint, S3_REGION: region, S3_BUCKET: Bucket, ...keys } = swift.environment;
    const credentials = { accessKeyId: keys.S3_ACCESS_KEY_ID, secretAccessKey: keys.S3_SECRET_ACCESS_KEY };
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    const [gone = "", there = ""] = imagesOf(ticket);
    await client.send(new DeleteObjectCommand({ Bucket, Key: `helpdesk/${ticket.id}/${gone}` }));
    expect((await download(who, gone)).body.code).toBe("NOT_FOUND");
    expect((await download(who, there)).status).toBe(200);
  });

  test("reconciling the bucket with the database deletes objects without a row, and hides images without an object", async () => {
    const {
      db,
      app: { config },
    } = t.running;
    const storage = await openStorage(config.storage);
    const who = await t.person();
    const ticket = await report(who, {}, two);
    const [kept = "", lost = ""] = imagesOf(ticket);
    const orphan = `helpdesk/${crypto.randomUUID()}/${crypto.randomUUID()}`;
    await storage.put(orphan, new Uint8Array([1]), "image/png");
    await storage.delete(`helpdesk/${ticket.id}/${lost}`);
    const parts = {
      db: { query: (text: string, values: unknown[]) => db.writes.query(text, values) },
      storage,
    };
    const before = await swift.keys();
    // Swift rounds times to seconds; objects that were just stored are younger than the limit and are not compared.
    const young = await compareImages({ ...parts, olderThan: new Date(Date.now() - 3_600_000) });
    expect(young.objects).toBe(0);
    const olderThan = new Date(Date.now() + 60_000);
    const { objects, rows, matched } = await compareImages({ ...parts, olderThan });
    expect([objects >= 1, rows >= 1, matched >= 1]).toEqual([true, true, true]);
    expect(await swift.keys()).toEqual(before);
    expect(await reconcileImages({ ...parts, olderThan })).toEqual({ objects, rows, matched });
    expect(await compareImages({ ...parts, olderThan })).toEqual({ objects: 0, rows: 0, matched });
    expect(await swift.keys()).not.toContain(orphan);
    expect((await download(who, kept)).status).toBe(200);
  });

  test("a bucket that is not the database's storage takes no uploads and loses no objects, on Bun and on the edge, until it has the marker", async () => {
    const bucket = "another";
    await swift.createBucket(bucket);
    const who = await t.person();
    const [image = ""] = imagesOf(await report(who, {}, two));
    const wrong = { S3_BUCKET: bucket };
    const folder = await mkdtemp(join(tmpdir(), "edge-bundle-"));
    await buildEdge(folder);
    const edge = await startEdgeInstance(folder, { ...t.environment, ...wrong });
    try {
      const [instance] = await t.cluster(1, wrong);
      const places = [instance?.url, edge.url].map((url = "") => who.at(url));
      for (const there of places) {
        const response = await send(there);
        expect(outcome(response)).toBe("503 SERVICE_UNAVAILABLE");
        expect(response.headers.get("retry-after")).toBe("1");
        expect((await download(there, image)).status).toBe(500);
        expect((await t.anonymous(there.url).get("/api/health/ready")).body.checks.storage).toBe("failed");
      }
      expect(await swift.keys(bucket)).toEqual([]);

      // The rows of the refused uploads are swept by an instance with the wrong bucket, which deletes nothing there.
      const rows = await imageRows(t, idOf(who));
      const [{ key = "" } = {}] = await t.sql<{ key: string }>(
        "SELECT storage_key AS key FROM ticket_attachments WHERE message_id IS NULL LIMIT 1",
      );
      expect([rows.length > two.length, key]).toEqual([true, expect.stringMatching(/^helpdesk\//)]);
      await swift.put(key, bucket);
      const config = { ...t.running.app.config.storage };
      const elsewhere = await bunRuntime.openStorage(
        { ...config, s3: { ...config.s3, bucket } },
        t.running.db,
      );
      await expect(elsewhere.delete(key)).rejects.toMatchObject({ status: 503 });
      expect(await swift.keys(bucket)).toEqual([key]);

      const [{ id } = { id: "" }] = await t.sql<{ id: string }>("SELECT id FROM storage_marker");
      await swift.put(`installation/${id}`, bucket);
      for (const there of places) expectStatus(await send(there), 201);
      await elsewhere.delete(key);
      expect(await swift.keys(bucket)).not.toContain(key);
    } finally {
      await edge.stop();
      await rm(folder, { recursive: true });
    }
    await sweep();
  });

  test("an unreachable bucket is 500 for reads and writes, leaves no rows, and works again once it is reachable", async () => {
    const who = await t.person();
    const ticket = await report(who, {}, two);
    const before = await swift.keys();
    const readiness = async () => {
      const { status, body } = await t.anonymous().get("/api/health/ready");
      return [status, body.status, body.checks.storage];
    };
    expect(await readiness()).toEqual([200, "ok", "ok"]);
    await swift.stop();
    try {
      expect(outcome(await send(who))).toBe("500 INTERNAL_ERROR");
      const image = await download(who, imagesOf(ticket)[0] ?? "");
      expect([image.status, image.body.code]).toEqual([500, "INTERNAL_ERROR"]);
      expect(await readiness()).toEqual([200, "degraded", "failed"]);
      // Requests without images still work.
      expectStatus(await who.post(OWN_TICKETS, reportBody()), 201);
    } finally {
      await swift.start();
    }
    expect((await page(who, OWN_TICKETS)).total).toBe(2);
    await sweep();
    expect(await swift.keys()).toEqual(before);
    expect(await imageRows(t, idOf(who))).toHaveLength(two.length);
    expect((await download(who, imagesOf(ticket)[0] ?? "")).status).toBe(200);
    expectStatus(await send(who), 201);
    expect(await readiness()).toEqual([200, "ok", "ok"]);
  });

  test("a service with a wrong S3 key is refused, which shows that the bucket checks the signatures of the other tests", async () => {
    const { s3 } = t.running.app.config.storage;
    const wrong = s3Storage({ ...s3, secretAccessKey: "does not fit" });
    expect(await t.running.app.storage.check()).toBe(true);
    await expect(wrong.check()).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    await expect(wrong.put("helpdesk/x", pngWith(), "image/png")).rejects.toMatchObject({
      $metadata: { httpStatusCode: 403 },
    });
  });
}

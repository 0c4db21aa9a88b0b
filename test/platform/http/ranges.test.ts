import { expect, test } from "bun:test";
import { until } from "../../support/cluster.ts";
import { report } from "../../support/helpdesk.ts";
import { pngWith } from "../../support/images.ts";
import { startService } from "../../support/service.ts";
import { ownStorage } from "../../support/storage.ts";

const t = await startService((await ownStorage()).environment);
const [instance] = await t.cluster(1);
const url = instance?.url ?? "";
const who = (await t.person()).at(url);
const { messages } = await report(who, {}, [pngWith()]);
const image = `/api/support/attachments/${messages[0]?.attachments[0]?.id}`;

test("files are sent complete with 200, and logged as 200, whatever Range is requested", async () => {
  const ranges = [
    "bytes=0-9",
    "bytes=5-",
    "bytes=-5",
    "bytes=99999999-",
    "bytes=0-1,4-5",
    "bytes=9-1",
    "lines=1-2",
    "x",
  ];
  for (const path of [image, "/api/docs/favicon-32x32.png", "/api/docs/swagger-ui.css"]) {
    const get = (method: string, more: Record<string, string>) =>
      fetch(url + path, { method, headers: { authorization: `Bearer ${who.accessToken}`, ...more } });
    const whole = await get("GET", {});
    const bytes = await whole.bytes();
    expect(whole.headers.get("content-length")).toBe(String(bytes.length));
    for (const range of ranges) {
      const requestId = crypto.randomUUID();
      const response = await get("GET", { range, "if-range": '"x"', "x-request-id": requestId });
      expect([path, range, response.status, response.headers.get("content-range")]).toEqual([
        path,
        range,
        200,
        null,
      ]);
      expect(response.headers.get("content-type")).toBe(whole.headers.get("content-type"));
      expect(await response.bytes()).toEqual(bytes);
      expect((await get("HEAD", { range })).status).toBe(200);
      const line = await until(() => instance?.log().find((line) => line.includes(requestId)) ?? null);
      expect(JSON.parse(line).status).toBe(200);
    }
    const plain = await get("GET", { range: "bytes=0-9" });
    expect([plain.status, (await plain.bytes()).length]).toEqual([200, bytes.length]);
  }
});

import { expect, test } from "bun:test";
import { startService } from "../support/service.ts";

const t = await startService({ METRICS_PORT: "0" });
const metricsUrl = t.running.metricsUrl ?? "";

async function metrics(): Promise<string[]> {
  return (await (await fetch(metricsUrl)).text()).split("\n");
}

const countOf = (lines: string[], labels: string) =>
  Number(
    lines
      .find((line) => line.startsWith(`http_request_duration_seconds_count{${labels}}`))
      ?.split(" ")
      .at(-1) ?? 0,
  );

test("the metrics port serves Prometheus' text, the API's port does not", async () => {
  const answer = await fetch(metricsUrl);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
  expect(await answer.text()).toContain("# TYPE http_request_duration_seconds histogram");
  expect((await fetch(metricsUrl.replace(/metrics$/, ""))).status).toBe(404);
  expect((await fetch(`${t.url}/metrics`)).status).toBe(404);
});

test("requests are counted by the declared path, their method and their status", async () => {
  const person = await t.person();
  const labels = 'method="GET",route="/api/profile",status="200"';
  const before = countOf(await metrics(), labels);
  await person.get("/api/profile");
  await person.get("/api/profile");
  const lines = await metrics();
  expect(countOf(lines, labels)).toBe(before + 2);
});

test("what clients make up makes no labels", async () => {
  await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      fetch(`${t.url}/api/made-up-${index}`, { method: index % 2 ? "GET" : "PROPFIND" }),
    ),
  );
  for (const method of ["MADEUP", "made-up", "BREW", "PURGE", "LINK"]) {
    await fetch(`${t.url}/api/profile`, { method }).catch(() => {});
  }
  await fetch(`${t.url}/api/health/live`, { method: "OPTIONS" });
  const lines = (await metrics()).filter((line) => line.startsWith("http_request_duration_seconds_count"));
  expect(lines.join("\n")).not.toContain("made-up");
  const methods = lines.map((line) => /method="([^"]*)"/.exec(line)?.[1] ?? "");
  expect(methods.filter((method) => !/^(GET|POST|OPTIONS|other)$/.test(method))).toEqual([]);
});

test("without a port there are none", async () => {
  const plain = await startService();
  expect(plain.running.metricsUrl).toBeNull();
});

import { expect, test } from "bun:test";
import { join } from "node:path";
import { startService } from "../../support/service.ts";

const apiUrl = "http://api.test";
const t = await startService({ OAUTH: "on", API_URL: apiUrl });
const NAMES = ["README", "agents", "clients", "rules", "extend"];
const LINK = /\]\((http[^)\s]+)\)/g;

test("/llms.txt has a title, a quote and links that resolve; the documents link to what exists", async () => {
  const response = await fetch(`${t.url}/llms.txt`);
  expect([
    response.status,
    response.headers.get("content-type"),
    response.headers.get("cache-control"),
  ]).toEqual([200, "text/plain; charset=utf-8", "public, max-age=300"]);
  const text = await response.text();
  expect(text).toMatch(/^# .+\n\n> .+\n/);
  const links = [...text.matchAll(LINK)].map(([, link = ""]) => link);
  expect(links.filter((link) => link.endsWith(".md"))).toEqual(
    NAMES.map((name) => `${apiUrl}/docs/${name}.md`),
  );
  for (const link of links) expect((await fetch(link.replace(apiUrl, t.url))).status).toBe(200);
});

test.each(NAMES)("the document %s is Markdown whose links are absolute and resolve", async (name) => {
  const response = await fetch(`${t.url}/docs/${name}.md`);
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/markdown; charset=utf-8",
  ]);
  const text = await response.text();
  expect(text).toMatch(/^# /);
  const relative = [...text.matchAll(/(?<!!)\[[^\]]+\]\((?![a-z][a-z0-9+.-]*:)([^)\s]+)\)/gi)];
  expect(relative.map(([, link]) => link)).toEqual([]);
  const own = [...text.matchAll(LINK)]
    .map(([, link = ""]) => link)
    .filter((link) => link.startsWith(`${apiUrl}/docs/`));
  for (const link of new Set(own)) expect((await fetch(link.replace(apiUrl, t.url))).status).toBe(200);
});

test("no other file is served below /docs/", async () => {
  for (const path of [
    "/docs/../package.json",
    "/docs/%2e%2e/package.json",
    "/docs/architecture.md",
    "/docs/",
    "/docs/rules/todos.md",
  ])
    expect([path, (await fetch(t.url + path)).status]).toEqual([path, 404]);
});

test("the image has every document that is served", async () => {
  const file = await Bun.file(join(import.meta.dir, "../../../Dockerfile")).text();
  for (const name of NAMES) expect(file).toContain(name === "README" ? "README.md" : `docs/${name}.md`);
});

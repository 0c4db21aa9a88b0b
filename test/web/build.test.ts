import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEMO_PASSWORD, demoJson } from "../../src/dev/demo.ts";
import { buildWeb } from "../../src/dev/web/build.ts";
import { startService } from "../support/service.ts";
import { built } from "./support/browser.ts";

/** Builds the console; returns the folder. */
async function build(options: { demoAccounts?: string; page?: string }): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), "build-")), "web");
  await buildWeb({ folder, compress: false, ...options });
  return folder;
}

/** Returns the text of all scripts of a build. */
async function scriptsOf(folder: string): Promise<string> {
  const files = [...new Bun.Glob("assets/*.js").scanSync({ cwd: folder, absolute: true })];
  return (await Promise.all(files.map((file) => Bun.file(file).text()))).join("\n");
}

const folder = await built();
const production = await scriptsOf(folder);

test("only a development build contains the demo accounts", async () => {
  const development = await scriptsOf(await build({ demoAccounts: demoJson() }));
  for (const word of [DEMO_PASSWORD, "root@demo.example"]) {
    expect([word, development.includes(word), production.includes(word)]).toEqual([word, true, false]);
  }
});

test("the build has React for production, whatever NODE_ENV is", () => {
  expect(process.env.NODE_ENV).toBe("test");
  expect(production.includes("Each child in a list should have a unique")).toBe(false);
});

test("the production build has no gallery", async () => {
  expect(production.includes("data-specimen")).toBe(false);
  expect((await scriptsOf(await build({ page: "gallery.html" }))).includes("data-specimen")).toBe(true);
});

test("the built page has one inline script, whose hash the policy names, and no other inline code or style", async () => {
  const t = await startService(
    { WEB: "on", APP_URL: "http://app.test/console", API_URL: "http://app.test" },
    { webFolder: folder },
  );
  const response = await fetch(t.url);
  const html = await response.text();
  const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>(.*?)<\/script>/gs)].map(
    ([, code]) => code ?? "",
  );
  expect(inline.map((code) => code.includes("mantine-color-scheme"))).toEqual([true]);
  const hash = new Bun.CryptoHasher("sha256").update(inline[0] ?? "").digest("base64");
  expect(response.headers.get("content-security-policy")).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/);
  // All files are below the path of APP_URL.
  const urls = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? "");
  expect(urls.length).toBeGreaterThan(3);
  expect(urls.filter((url) => !/^(\/console\/assets\/|data:image\/svg)/.test(url))).toEqual([]);
});

test("every script of the console names the file with the licences of the bundled packages", async () => {
  const names = [...new Bun.Glob("*").scanSync(join(folder, "assets"))];
  const notices = names.filter((name) => /^notices-\w+\.txt$/.test(name));
  expect(notices.length).toBe(1);
  const scripts = names.filter((name) => name.endsWith(".js"));
  for (const name of scripts)
    expect(await Bun.file(join(folder, "assets", name)).text()).toStartWith(
      `/*! Licences: ./${notices[0]} */`,
    );
  const text = await Bun.file(join(folder, "assets", notices[0] ?? "")).text();
  const listed = [...text.matchAll(/^(\S+) \d+\.\d+\.\S+, (.+)$/gm)].map(([, name, licence]) => [
    name,
    licence,
  ]);
  for (const name of ["react", "react-dom", "scheduler", "@mantine/core", "@tanstack/react-router"])
    expect(listed).toContainEqual([name, "MIT"]);
  expect(text).toContain("Copyright (c) Meta Platforms");
  expect(listed.filter(([, licence]) => licence === "undefined")).toEqual([]);
});

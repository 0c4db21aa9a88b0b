import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEMO_PASSWORD, demoJson } from "../../src/dev/demo.ts";
import { buildWeb } from "../../src/dev/web/build.ts";
import { buildGallery } from "../../src/dev/web/gallery.ts";

/** Builds the console; returns the text of all its scripts. */
async function scripts(demoAccounts: string): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), "build-")), "web");
  await buildWeb({ folder, compress: false, demoAccounts });
  const files = [...new Bun.Glob("assets/*.js").scanSync({ cwd: folder, absolute: true })];
  return (await Promise.all(files.map((file) => Bun.file(file).text()))).join("\n");
}

test("only a development build contains the demo accounts", async () => {
  const [development, production] = [await scripts(demoJson()), await scripts("")];
  for (const word of [DEMO_PASSWORD, "root@demo.example"]) {
    expect(development).toContain(word);
    expect(production).not.toContain(word);
  }
});

test("the production build has no gallery", async () => {
  expect(await scripts("")).not.toContain("data-specimen");
  expect(String((await buildGallery()).get("/main.js"))).toContain("data-specimen");
});

test("every script of the console names the file with the licences of the bundled packages", async () => {
  const folder = join(await mkdtemp(join(tmpdir(), "build-")), "web");
  await buildWeb({ folder, compress: false });
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

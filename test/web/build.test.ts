import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEMO_PASSWORD, demoJson } from "../../src/dev/demo.ts";
import { buildWeb } from "../../src/dev/web/build.ts";

/** Every script of a build. */
async function scripts(demoAccounts: string): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), "build-")), "web");
  await buildWeb({ folder, compress: false, demoAccounts });
  const files = [...new Bun.Glob("assets/*.js").scanSync({ cwd: folder, absolute: true })];
  return (await Promise.all(files.map((file) => Bun.file(file).text()))).join("\n");
}

test("only a build for development offers the demo accounts", async () => {
  const [development, production] = [await scripts(demoJson()), await scripts("")];
  for (const word of [DEMO_PASSWORD, "root@demo.example"]) {
    expect(development).toContain(word);
    expect(production).not.toContain(word);
  }
}, 60_000);

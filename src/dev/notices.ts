import { dirname, join } from "node:path";

const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;

/**
 * Returns the licences of the packages in a bundle. The licences must be distributed with the code.
 * @param inputs the files of the bundle, relative to `root`
 */
export async function noticesOf(inputs: string[], root: string): Promise<string> {
  const folders = new Set(
    inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []),
  );
  if (folders.size === 0) throw new Error("The bundle contains no package");
  return (await Promise.all([...folders].sort().map((folder) => noticeOf(join(root, folder))))).join(
    `\n${"-".repeat(80)}\n`,
  );
}

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license, author } = await Bun.file(join(folder, "package.json")).json();
  if (typeof name !== "string") throw new Error(`${dirname(folder)} has a package without a name`);
  const files = [...new Bun.Glob("*").scanSync(folder)].filter((file) => LICENCE_FILE.test(file)).sort();
  const texts = await Promise.all(files.map((file) => Bun.file(join(folder, file)).text()));
  const holder = typeof author === "string" ? author : author?.name;
  const none = `(The package has no licence file.${holder ? ` Author: ${holder}.` : ""})`;
  return `${name} ${version}, ${license}\n\n${texts.map((text) => text.trim()).join("\n\n") || none}\n`;
}

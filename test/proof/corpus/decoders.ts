import { join } from "node:path";

/**
 * Runs other programs that decode images. Each gets many files at once, because most of its time is spent on
 * starting.
 */
const AT_ONCE = 100;

/**
 * Returns by file a digest of the pixels of each frame, with sizes and durations, if ImageMagick can decode the
 * file.
 */
export async function pixelsOf(files: string[]): Promise<Map<string, string>> {
  const frames = new Map<string, string>();
  for (const some of inParts(files)) {
    const lines = await run(["identify", "-quiet", "-format", "%i\t%# %wx%h %T %D\n", ...some]);
    const decoded = lines.filter(([, frame]) => !frame.startsWith(" "));
    for (const [file, frame] of decoded) frames.set(file, `${frames.get(file) ?? ""}${frame}\n`);
  }
  return frames;
}

/**
 * Returns by file a digest of all frames, including those of animated PNG and WebP, if Pillow can decode the file.
 */
export async function framesOf(files: string[]): Promise<Map<string, string>> {
  // The system's own Python, for which Debian packages Pillow.
  const lines = await run(["/usr/bin/python3", join(import.meta.dir, "frames.py")], files.join("\n"));
  return new Map(lines.filter(([, digest]) => !digest.startsWith("unreadable")));
}

/** Whether ImageMagick decodes the file without a warning. */
export async function decodesWithoutWarnings(file: string): Promise<boolean> {
  const child = Bun.spawn(["identify", "-regard-warnings", "-format", "%#", file], {
    stdout: "ignore",
    stderr: "pipe",
  });
  const complaints = await new Response(child.stderr).text();
  return (await child.exited) === 0 && complaints === "";
}

/** The tags of an image by "Group:Name", such as "EXIF:Make". */
export type Tags = Record<string, unknown>;

/** Returns by file all tags that exiftool finds, including unknown ones, with binary data in base64. */
export async function tagsOf(files: string[]): Promise<Map<string, Tags>> {
  const found = new Map<string, Tags>();
  for (const some of inParts(files)) {
    const child = Bun.spawn(
      ["exiftool", "-q", "-json", "-G1", "-a", "-U", "-n", "-b", "-ICC_Profile", "-all", ...some],
      {
        stdout: "pipe",
        stderr: "ignore",
      },
    );
    const all: (Tags & { SourceFile: string })[] = JSON.parse(
      (await new Response(child.stdout).text()) || "[]",
    );
    for (const { SourceFile, ...tags } of all) found.set(SourceFile, tags);
  }
  return found;
}

async function run(command: string[], input = ""): Promise<[string, string][]> {
  const child = Bun.spawn(command, { stdin: new Blob([input]), stdout: "pipe", stderr: "ignore" });
  const output = await new Response(child.stdout).text();
  return output
    .split("\n")
    .filter((line) => line.includes("\t"))
    .map((line) => [line.slice(0, line.indexOf("\t")), line.slice(line.indexOf("\t") + 1)]);
}

const inParts = (files: string[]): string[][] =>
  Array.from({ length: Math.ceil(files.length / AT_ONCE) }, (_, part) =>
    files.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  );

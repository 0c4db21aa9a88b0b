import type { OutputChunk } from "rolldown";

/**
 * The output files that are loaded early, each with its first modules. The file also contains all modules that these
 * import.
 */
const EARLY = {
  main: ["main.tsx"],
  public: ["account/sign-in.tsx"],
  frame: ["console.tsx", "shell/shell.tsx"],
  home: ["shell/home.tsx", "shell/dashboard/activity.tsx"],
};

/**
 * Returns the output file of each module: one of the files in `EARLY`; one for each folder, with the modules that
 * only its pages need; or the file that all folders share.
 * @param fine the console in the files that the bundler makes by default, which shows what each page really needs
 * @param publicPages the modules of the pages before sign-in
 * @param source the folder of the console's sources
 */
export function filesOf(
  fine: readonly OutputChunk[],
  publicPages: readonly string[],
  source: string,
): Map<string, string> {
  const relative = (path: string) => path.slice(source.length + 1);
  const chunks = new Map(fine.map((chunk) => [chunk.fileName, chunk]));
  const pages = new Map<string, string[]>();
  for (const chunk of fine)
    if (chunk.facadeModuleId?.startsWith(`${source}/`))
      pages.set(relative(chunk.facadeModuleId), modulesOf(chunk, chunks));
  const neededBy = (names: string[]) =>
    new Set(
      names.flatMap((name) => {
        const modules = pages.get(name);
        if (modules === undefined) throw new Error(`${name} is not loaded on demand`);
        return modules;
      }),
    );

  const files = new Map<string, string>();
  const put = (modules: Iterable<string>, file: string) => {
    for (const id of modules) if (!files.has(id)) files.set(id, file);
  };
  const beforeSignIn = neededBy(publicPages.map(relative));
  put(neededBy(EARLY.main), "main");
  put(beforeSignIn.intersection(neededBy([...EARLY.frame, ...EARLY.home])), "main");
  // Modules that both the home page and other pages need are in `frame`, which all of these pages load anyway.
  const early = Object.values(EARLY).flat();
  const elsewhere = neededBy([...pages.keys()].filter((name) => !early.includes(name)));
  put(neededBy(EARLY.public), "public");
  // Modules that pages before and after sign-in need are in `public`, which all of these pages load anyway.
  const before = [...early, ...publicPages.map(relative)];
  put(
    beforeSignIn.intersection(neededBy([...pages.keys()].filter((name) => !before.includes(name)))),
    "public",
  );
  put(neededBy(EARLY.home).intersection(elsewhere), "frame");
  for (const [file, names] of Object.entries(EARLY)) put(neededBy(names), file);
  put(beforeSignIn, "public-more");
  const folders = new Map<string, Set<string>>();
  for (const [name, modules] of pages)
    for (const id of modules)
      folders.set(id, (folders.get(id) ?? new Set()).add(name.split("/").slice(0, -1).join("-")));
  for (const [id, [folder = "", ...others]] of folders) put([id], others.length === 0 ? folder : "shared");
  return files;
}

/** Returns the modules of an output file, and of all output files that it imports. */
function modulesOf(page: OutputChunk, chunks: Map<string, OutputChunk>): string[] {
  return [...withImports(page, chunks)].flatMap(({ moduleIds }) => moduleIds);
}

/** Returns an output file and all output files that it imports, directly or indirectly. */
export function withImports(
  chunk: OutputChunk,
  chunks: Map<string, OutputChunk>,
  found = new Set<OutputChunk>(),
): Set<OutputChunk> {
  if (found.has(chunk)) return found;
  found.add(chunk);
  for (const name of chunk.imports) {
    const next = chunks.get(name);
    if (next !== undefined) withImports(next, chunks, found);
  }
  return found;
}

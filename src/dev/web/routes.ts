import { dirname, join } from "node:path";

/** A route of the console, such as `/members/$userId`, and the module of its page. */
export type PageModule = { path: string; module: string; isPublic: boolean };

const [PATH, MODULE] = [/path: "([^"]+)"/, /import\("(\.[^"]+)"\)/];
/** Each route is the argument of one of these functions. */
const START = /\b(createRoute|publicPage)\(\{/;

/**
 * Reads the routes of the console and their modules from the text of the files `routes.ts` and `public-pages.ts`:
 * to import them would need a browser.
 * @param source the folder of the console's sources
 * @throws Error if a route is written in another form
 */
export async function pageModules(source: string): Promise<PageModule[]> {
  const files = [
    ...new Bun.Glob("*/{routes,public-pages}.ts").scanSync({ cwd: source, absolute: true }),
  ].sort();
  const found = await Promise.all(
    files.map(async (file) => {
      // Every second part of the split text is the name of a function.
      const [, ...parts] = (await Bun.file(file).text()).split(START);
      return parts.flatMap((text, index) => {
        if (index % 2 === 0) return [];
        const [path, module] = [PATH, MODULE].map((pattern) => pattern.exec(text)?.[1]);
        if (path === undefined || module === undefined)
          throw new Error(`${file}: a route has no path, or no page that is loaded on demand`);
        return [{ path, module: join(dirname(file), module), isPublic: parts[index - 1] === "publicPage" }];
      });
    }),
  );
  return found.flat();
}

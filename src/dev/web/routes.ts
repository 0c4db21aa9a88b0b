import { dirname, join } from "node:path";

/** A route of the console, such as `/members/$userId`, and the module of its page. */
export type PageModule = { path: string; module: string; isPublic: boolean };

const [START, PATH, MODULE] = ["createRoute({", /path: "([^"]+)"/, /import\("(\.[^"]+)"\)/];

/**
 * Reads the routes of the console and their modules from the files `routes.ts`, whose own modules need a browser.
 * @param source the folder of the console's sources
 * @throws Error if a route is written in another form
 */
export async function pageModules(source: string): Promise<PageModule[]> {
  const files = [...new Bun.Glob("*/routes.ts").scanSync({ cwd: source, absolute: true })].sort();
  const found = await Promise.all(
    files.map(async (file) => {
      const [, ...routes] = (await Bun.file(file).text()).split(START);
      return routes.map((text) => {
        const [path, module] = [PATH, MODULE].map((pattern) => pattern.exec(text)?.[1]);
        if (path === undefined || module === undefined)
          throw new Error(`${file}: a route has no path, or no page that is loaded on demand`);
        return { path, module: join(dirname(file), module), isPublic: text.includes("publicLayout") };
      });
    }),
  );
  return found.flat();
}

import { join } from "node:path";
import type { Plugin } from "rolldown";

const LANGUAGES = ["en", "el"] as const;
type Language = (typeof LANGUAGES)[number];
/** The texts of a module: for each exported constant, the texts by key. */
type Texts = Record<string, Record<string, string>>;

/**
 * The parts into which the texts of the console are divided: each part has the texts of these output files. One more
 * part, "all", has the texts of all files.
 */
const PARTS = {
  public: ["main", "public"],
  entry: ["main", "public", "public-more"],
  home: ["main", "frame", "home"],
};

const MODULE = /\/texts\/(en|el)\/([\w-]+)\.ts$/;
const IMPORT = /(?<!typeof )\bimport\(("\.{1,2}\/[^"]+")\)/g;

/**
 * Returns the part with the texts of a page that is loaded on demand.
 * @param file the output file of the page; for a file that belongs to no smaller part, returns "all"
 */
export function partOf(file: string | undefined): string {
  return Object.entries(PARTS).find(([, files]) => file !== undefined && files.includes(file))?.[0] ?? "all";
}

/**
 * Moves the texts out of the scripts, into one file for each language and part of the console (`textFiles`). The
 * modules of texts become tables that are filled when their file is loaded, and each import on demand waits for the
 * texts of its part.
 * @param files the output file of each module
 * @param source the folder of the console's sources
 */
export function withoutTexts(files: Map<string, string>, source: string): Plugin {
  const loader = JSON.stringify(join(source, "lib/text-files.ts"));
  return {
    name: "without-texts",
    async load(id) {
      if (id === join(source, "lib/dictionary.ts"))
        return "export const dictionary = (en, el) => ({ en, el });";
      const [, language, area] = MODULE.exec(id) ?? [];
      if (language === undefined) return null;
      const names = Object.keys((await import(id)) as Texts).map(
        (name) => `export const ${name} = /* @__PURE__ */ textTable("${language}", "${keyOf(area, name)}");`,
      );
      return [`import { textTable } from ${loader};`, ...names].join("\n");
    },
    async transform(code, id) {
      const imports = id.startsWith(`${source}/`) ? [...code.matchAll(IMPORT)] : [];
      if (imports.length === 0) return null;
      const parts = new Map<string, string>();
      for (const [, specifier = ""] of imports) {
        const module = await this.resolve(JSON.parse(specifier), id);
        parts.set(specifier, partOf(files.get(module?.id ?? "")));
      }
      const waiting = code.replace(
        IMPORT,
        (text, specifier) =>
          `Promise.all([${text}, loadTextsOf("${parts.get(specifier)}")]).then(([module]) => module)`,
      );
      return { code: `import { loadTexts as loadTextsOf } from ${loader};\n${waiting}` };
    },
  };
}

const keyOf = (area = "", name = "") => `${area}.${name}`;

/**
 * Returns the files with the texts, as JavaScript: a text with placeholders is compiled to a function.
 * @param files the output file of each module
 */
export async function textFiles(files: Map<string, string>): Promise<{ name: string; code: string }[]> {
  const modules = [...files].flatMap(([id, file]) => {
    const [, language, area] = MODULE.exec(id) ?? [];
    return language === "en" && area !== undefined ? [{ id, file, area }] : [];
  });
  const made = Object.entries({ ...PARTS, all: null }).flatMap(([part, included]) =>
    LANGUAGES.map(async (language) => {
      const chosen = modules.filter(({ file }) => included === null || included.includes(file));
      const tables = await Promise.all(chosen.map(({ id, area }) => tablesOf(id, area, language)));
      return { name: `texts-${part}-${language}.js`, code: `export default{${tables.flat().join(",")}};` };
    }),
  );
  return Promise.all(made);
}

async function tablesOf(id: string, area: string, language: Language): Promise<string[]> {
  const english: Texts = await import(id);
  const texts: Texts = await import(id.replace("/texts/en/", `/texts/${language}/`));
  return Object.entries(english).map(([name, table]) => {
    const compiled = Object.entries(table).map(
      ([key, text]) => `${keyIn(key)}:${compile(texts[name]?.[key] ?? text, text)}`,
    );
    return `${JSON.stringify(keyOf(area, name))}:{${compiled.join(",")}}`;
  });
}

const PLACEHOLDER = /\{(\w+)\}/g;

/**
 * Compiles a text to JavaScript: to a string or, with placeholders, to a function.
 * @param english the English text, whose placeholders have the order of the function's parameters
 */
function compile(text: string, english: string): string {
  const names = [...new Set([...english.matchAll(PLACEHOLDER)].map(([, name]) => name))];
  if (names.length === 0) return JSON.stringify(text);
  const values = names.map((_, index) => `v${index}`);
  const quoted = text
    .replace(/[\\`]|\$\{/g, "\\$&")
    .replace(PLACEHOLDER, (_, name) => `\${${values[names.indexOf(name)]}}`);
  const parameters = values.length === 1 ? values[0] : `(${values.join(",")})`;
  return `${parameters}=>\`${quoted}\``;
}

/** Returns a key of an object literal, without quotes if possible. */
const keyIn = (key: string) => (/^[a-z_]\w*$/i.test(key) ? key : JSON.stringify(key));

import { textsUrl } from "./environment.ts";

/**
 * The texts of a production build are in files of their own, one for each language and part of the console, so that
 * a browser loads the texts of one language only. `src/dev/web/texts.ts` makes them: it replaces the modules of
 * `texts/` by calls of `textTable`, and lets each page that is imported on demand wait for `loadTexts`. In development
 * there are no such files, because the modules contain the texts.
 */
type Table = Record<string, unknown>;
type Module = { readonly default: Readonly<Record<string, Table>> };

const PART = /texts-(\w+)-\*/;
let chosen = document.documentElement.lang;
/** The chosen language, and that of the page until the texts of the chosen one are loaded. */
const languages = new Set([chosen]);
const parts = new Set<string>();
const tables = new Map<string, Table>();
const files = new Map<string, Promise<void>>();

/**
 * Returns the texts of a dictionary in a language, by key. The object is empty until the file with the texts is
 * loaded.
 */
export function textTable(language: string, name: string): Table {
  const key = `${language}.${name}`;
  const table = tables.get(key) ?? {};
  tables.set(key, table);
  return table;
}

/**
 * Loads the texts of a part of the console; by default of the part to which the page that was opened first belongs.
 * @throws Error if they cannot be loaded
 */
export async function loadTexts(part = PART.exec(textsUrl)?.[1] ?? "all"): Promise<void> {
  parts.add(part);
  await Promise.all([...languages].map((language) => loadFile(part, language)));
}

/**
 * Loads the texts of all parts that are in use in another language.
 * @returns false if a third language was chosen meanwhile
 * @throws Error if they cannot be loaded
 */
export async function loadLanguage(language: string): Promise<boolean> {
  chosen = language;
  languages.add(language);
  await Promise.all([...parts].map((part) => loadFile(part, language)));
  if (language !== chosen) return false;
  for (const other of languages) if (other !== language) languages.delete(other);
  return true;
}

function loadFile(part: string, language: string): Promise<void> {
  if (textsUrl === "") return Promise.resolve();
  const url = (name: string) => textsUrl.replace(PART, `texts-${name}-${language}`);
  // The file "all" contains the texts of all parts, and "entry" those of "public".
  const names = ["all", ...(part === "public" ? ["entry"] : []), part];
  const name = names.find((one) => files.has(url(one))) ?? part;
  const loading = files.get(url(name)) ?? read(url(name), language);
  files.set(url(name), loading);
  return loading;
}

async function read(url: string, language: string): Promise<void> {
  try {
    const { default: texts }: Module = await import(/* @vite-ignore */ url);
    for (const [name, table] of Object.entries(texts)) Object.assign(textTable(language, name), table);
  } catch (error) {
    files.delete(url);
    throw error;
  }
}

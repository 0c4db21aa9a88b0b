const FRAGMENT = /^\/\* @fragment (\w+)\(([\w, ]+)\) \*\/\n([^;]+);\n/gm;
const USE = /(?<![\w<])@(\w+)\(([^()]*)\)/g;

export type Fragments = ReadonlyMap<string, { parameters: string[]; text: string }>;

/**
 * Reads the fragments of a .sql file: conditions that its queries include as `@name(arguments)`; those of
 * sql/fragments.sql are for all files. Returns the text without them, too.
 */
export function takeFragments(text: string): { fragments: Fragments; rest: string } {
  const fragments = new Map<string, { parameters: string[]; text: string }>();
  const rest = text.replaceAll(FRAGMENT, (_, name: string, parameters: string, sql: string) => {
    fragments.set(name, { parameters: parameters.split(", "), text: sql });
    return "";
  });
  return { fragments, rest };
}

/**
 * Replaces each `@name(arguments)` by the text of the fragment, with the arguments in place of its parameters.
 * @throws Error for an unknown name, or another number of arguments
 */
export function includeFragments(sql: string, fragments: Fragments): string {
  return sql.replaceAll(USE, (use, name: string, list: string) => {
    const values = list.split(",").map((value) => value.trim());
    const fragment = fragments.get(name);
    if (fragment?.parameters.length !== values.length) throw new Error(`There is no fragment for ${use}`);
    const text = fragment.text.replaceAll(
      /\{(\w+)\}/g,
      (_, parameter: string) => values[fragment.parameters.indexOf(parameter)] ?? "",
    );
    return includeFragments(`(${text})`, fragments);
  });
}

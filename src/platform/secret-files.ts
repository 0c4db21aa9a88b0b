import { readFileSync } from "node:fs";
import type { RawEnvironment } from "./environment.ts";

/**
 * Reads variables from the files that `<NAME>_FILE` names, without trailing line breaks. Returns the environment with them,
 * and the problems by variable, which show neither a value nor a path.
 */
export function readSecretFiles(raw: RawEnvironment, names: readonly string[]) {
  const read: RawEnvironment = {};
  const problems = new Map<string, string>();
  for (const name of names) {
    const path = raw[`${name}_FILE`];
    if (path === undefined) continue;
    if (raw[name] !== undefined) {
      problems.set(name, `${name} must not be set beside ${name}_FILE`);
      continue;
    }
    try {
      read[name] = readFileSync(path.trim(), "utf8").replace(/[\r\n]+$/, "");
      if (read[name].trim() === "") problems.set(name, `${name}_FILE names a file that is empty`);
    } catch {
      problems.set(name, `${name}_FILE names a file that cannot be read`);
    }
  }
  return { raw: { ...raw, ...read }, problems };
}

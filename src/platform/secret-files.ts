import { readFileSync } from "node:fs";
import type { RawEnvironment } from "./environment.ts";

/**
 * Reads each of these variables that is not set from the file that `<NAME>_FILE` names, as orchestrators hand over
 * secrets; line breaks at its end are not part of it. Returns the environment with them, and what is wrong with each, none
 * of which shows a value or a path.
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

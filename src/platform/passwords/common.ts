import text from "./common-passwords.txt" with { type: "text" };
import { normalized } from "./hasher.ts";

/** Returns the common passwords of the permitted length, as `common-passwords.txt` lists them after its comment. */
export const commonPasswords = (): string[] =>
  text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

/** Whether the password is one of the common passwords of the permitted length, in upper or lower case. */
export function isCommon(password: string): boolean {
  list ??= new Set(commonPasswords());
  return list.has(normalized(password).toLowerCase());
}

let list: Set<string> | undefined;

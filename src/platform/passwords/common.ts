import { commonPasswords } from "./common-passwords.ts";
import { normalized } from "./hasher.ts";

/** Whether the password is one of the common passwords of the permitted length, in upper or lower case. */
export function isCommon(password: string): boolean {
  list ??= new Set(commonPasswords.split("\n"));
  return list.has(normalized(password).toLowerCase());
}

let list: Set<string> | undefined;

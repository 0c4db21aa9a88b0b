/** Invisible characters. Within words they are harmless; elsewhere they make different texts look the same. */

/**
 * Control characters, line breaks, and the bidirectional embeddings, overrides and isolates, which reorder the text
 * around them. The marks U+200E, U+200F and U+061C are allowed: they do not reorder other text, and Hebrew and Arabic
 * texts contain them.
 */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const EVERY_CONTROL_OR_MARK = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/**
 * Matches a text without a visible character of its own: white space, invisible characters, combining marks, and private-use,
 * unassigned and noncharacter code points. Joiners and marks are part of words in many scripts and of emoji, but nothing alone.
 */
const INVISIBLE = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{M}\p{Co}\p{Cn}\u2800\ufff9-\ufffb]+$/u;
/** Matches a text of nothing but white space and invisible characters, and the empty text. */
const WITHOUT_TEXT = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]*$/u;
const BLANK = /[\p{Zs}\ufeff]/u;

/** Whether a single-line text contains a control character. */
export const hasControl = (text: string): boolean => CONTROL.test(text);

/** Returns the text without control characters and bidirectional characters. */
export const withoutControl = (text: string): string => text.replaceAll(EVERY_CONTROL_OR_MARK, "");

/** Whether a name, title or subject is not empty but counts as empty. */
export const isInvisible = (text: string): boolean => INVISIBLE.test(text);

/** Whether a long text counts as none. Unlike a name, it may consist of characters without a shape of their own. */
export const isBlank = (text: string): boolean => WITHOUT_TEXT.test(text);

/**
 * Removes spaces at both ends, but, unlike `String.trim`, neither tabs nor line breaks. Uses a loop, because a
 * regular expression would take quadratic time for long runs of spaces.
 */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANK.test(text.charAt(start))) start += 1;
  while (end > start && BLANK.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

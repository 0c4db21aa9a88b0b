/** The characters that nobody sees. They do no harm within words; elsewhere one text passes for another by them. */

/** What steers a terminal, breaks a line, or turns the direction of what follows. */
const CONTROL = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const EVERY_CONTROL = new RegExp(CONTROL, "gu");
/** Joiners and the like are part of words in many scripts, and of emoji; alone they leave no ink. */
const INVISIBLE = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]+$/u;
const BLANK = /[\p{Zs}\ufeff]/u;

/** Whether a text of one line holds a character that does not belong into one. */
export const hasControl = (text: string): boolean => CONTROL.test(text);

/** The rest of a text that may hold such characters. */
export const withoutControl = (text: string): string => text.replaceAll(EVERY_CONTROL, "");

/** Whether a text that is not empty looks as if it were. */
export const isInvisible = (text: string): boolean => INVISIBLE.test(text);

/** Whether there is nothing to see in a text. */
export const isBlank = (text: string): boolean => text === "" || isInvisible(text);

/**
 * Without the blanks at its ends. Tabs and line breaks are none, unlike for `String.trim`. Walked by hand, because
 * a pattern would try each run of blanks from each of its characters.
 */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANK.test(text.charAt(start))) start += 1;
  while (end > start && BLANK.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

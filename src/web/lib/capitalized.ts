/** Returns a text with an upper-case first letter, such as the key of a plan as its name. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

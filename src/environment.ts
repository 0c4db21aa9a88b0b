/** The variables that are set; empty ones are left out. */
export type Given = Record<string, string | undefined>;

/** The parts of a comma-separated list. */
export function list(value: string): string[] {
  return value
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Whether a value is an absolute URL of one of these protocols, such as `https:`. */
export function isUrl(value: string, protocols: string[]): boolean {
  const protocol = protocols.find((known) => value.toLowerCase().startsWith(`${known}//`));
  return protocol !== undefined && URL.canParse(value) && !/\s/.test(value);
}

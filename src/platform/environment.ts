import { z } from "zod";

/** The environment variables that are set. Empty variables are left out. */
export type RawEnvironment = Record<string, string | undefined>;

/** The configuration section of one module. `src/app/config.ts` combines all sections. */
export interface ConfigSection<Variables extends z.ZodRawShape, Config> {
  /** The schema of each environment variable in the section. */
  variables: Variables;
  /** The variables that may be read from a file, whose path is in `<NAME>_FILE`. */
  secrets?: readonly string[] | ((raw: RawEnvironment) => string[]);
  /** Returns the names of further variables, if they depend on the values of others. */
  furtherNames?(raw: RawEnvironment): string[];
  /**
   * Returns problems that concern several variables. Called with raw values, so that they are reported together
   * with all other problems.
   */
  check?(raw: RawEnvironment): string[];
  /** Returns warnings about configuration that is valid but probably not intended. They are logged at the start. */
  warn?(raw: RawEnvironment): string[];
  /** Builds the section's configuration; called only if there are no problems. */
  read(env: z.output<z.ZodObject<Variables>>, raw: RawEnvironment): Config;
}

/** Declares a configuration section: returns the same object, with its types inferred. */
export const configSection = <Variables extends z.ZodRawShape, Config>(
  section: ConfigSection<Variables, Config>,
) => section;

type SectionResult<Config> = { config: Config; problems: null } | { config: null; problems: string[] };

/** Reads one section from the environment. Returns all its problems at once; no problem contains a value. */
export function readSection<Variables extends z.ZodRawShape, Config>(
  { variables, check, read }: ConfigSection<Variables, Config>,
  raw: RawEnvironment,
): SectionResult<Config> {
  const parsed = z.object(variables).safeParse(raw);
  const invalid = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join(".")} ${messageOf(issue)}`);
  const problems = [...invalid, ...(check?.(raw) ?? [])];
  return parsed.success && problems.length === 0
    ? { config: read(parsed.data, raw), problems: null }
    : { config: null, problems };
}

/** Describes a problem with a variable, without the value. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return "is required"; // Every value is a string or missing.
  if (issue.code === "invalid_value") return `must be one of ${issue.values.join(", ")}`;
  return issue.message;
}

/** Whether `NODE_ENV` is `production`. */
export const isProduction = (raw: RawEnvironment): boolean => raw.NODE_ENV === "production";

/** Returns a problem for each of these variables that is missing. */
export const missingVariables = (raw: RawEnvironment, keys: string[], why: string): string[] =>
  keys.filter((key) => !raw[key]).map((key) => `${key} is required ${why}`);

/**
 * Returns a problem if a key and its previous key are the same, because values encrypted with the real previous key
 * could then not be decrypted.
 */
export const rejectUnchangedPreviousKey = (raw: RawEnvironment, key: string): string[] =>
  raw[key] && raw[key] === raw[`${key}_PREVIOUS`] ? [`${key}_PREVIOUS must differ from ${key}`] : [];

/** Returns a reminder to remove the previous key, if one is configured. */
export const warnOfPreviousKey = (raw: RawEnvironment, key: string): string[] =>
  raw[`${key}_PREVIOUS`]
    ? [
        `${key}_PREVIOUS is set: remove it when the change of the key is complete; until then the old key is still accepted`,
      ]
    : [];

/** Parses an absolute URL of one of these protocols. */
export const url = (protocols: string[]) =>
  z
    .string()
    .refine(
      (value) => isUrl(value, protocols),
      `must be an absolute URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`,
    );

/** Parses an http(s) URL to which paths are appended. It must have neither a query nor a fragment. */
export const baseUrl = () =>
  url(["http:", "https:"]).refine((value) => !/[?#]/.test(value), "must have no query and no fragment");

/** Parses an integer. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .refine(
      (value) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number);

/** The schema of a variable that is `true` or `false`. */
export const flag = z.enum(["true", "false"]).transform((value) => value === "true");

/** The schema of a secret: a string that is hard to guess. */
export const secret = (min: number) => z.string().min(min, `must have at least ${min} characters`);

/** Splits a comma-separated list. */
export function commaSeparated(value: string): string[] {
  return value
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Whether a variable is missing, or a comma-separated list with at least one part and only valid parts. */
export const isListOf = (value: string | undefined, isWellFormed: (part: string) => boolean): boolean =>
  value === undefined || (commaSeparated(value).length > 0 && commaSeparated(value).every(isWellFormed));

/** Whether a value is an absolute URL of one of these protocols, such as `https:`. */
export function isUrl(value: string, protocols: string[]): boolean {
  const protocol = protocols.find((known) => value.toLowerCase().startsWith(`${known}//`));
  return protocol !== undefined && URL.canParse(value) && !/\s/.test(value);
}
